export { type CodingPhase, codingRun, codingRunOptions, type CodingRunOptions } from "./coding-run.ts";
