export { antiThrash, type AntiThrashOptions, type DeliveryPhase } from "./anti-thrash.ts";
export { type CodingPhase, codingRun, codingRunOptions, type CodingRunOptions } from "./coding-run.ts";
