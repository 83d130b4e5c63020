export { antiThrash, type AntiThrashOptions, type DeliveryPhase } from "./anti-thrash.ts";
export { type CodingPhase, codingRun, codingRunOptions, type CodingRunOptions } from "./coding-run.ts";
export { phaseTracking, type PhaseTrackingOptions, type TrackingPhase } from "./phase-tracking.ts";
