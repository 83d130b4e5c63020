export {
  type CheckLimits,
  type DeclarativeConfig,
  defineConfig,
  type PhasekitConfig,
  type WorkerConfig,
} from "./config/define-config.ts";
export { type ExitCode, exitCodes } from "./exit-code.ts";
