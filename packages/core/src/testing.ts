export { buildEvents, type BuildOptions, buildRun, decideOn, feed, manualClock } from "./testing/build-run.ts";
export { describePolicy, type DescribePolicyOptions, type TestRunner } from "./testing/describe-policy.ts";
