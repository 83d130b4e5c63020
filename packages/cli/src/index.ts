export {
  type CheckLimits,
  type DeclarativeConfig,
  defineConfig,
  type PhasekitConfig,
  type WorkerConfig,
} from "./config/define-config.ts";
