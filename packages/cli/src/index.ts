export { type CheckLimits, defineConfig, type PhasekitConfig } from "./define-config.ts";
export { type ExitCode, exitCodes } from "./exit-code.ts";
