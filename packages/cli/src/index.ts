export { type CheckLimits, defineConfig, type PhasekitConfig, type WorkerConfig } from "./define-config.ts";
export { type ExitCode, exitCodes } from "./exit-code.ts";
