export type { KeepOptions } from "../keep-options.ts";
export { keepRun } from "./keep-run.ts";
