export {
  type AdapterHarness,
  type AdapterSkill,
  type HostAbility,
  type ScriptedAgent,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedHost,
  type ScriptedTool,
  type SeenMessage,
  type SeenRequest,
} from "./testing/adapter-harness.ts";
export { buildEvents, type BuildOptions, buildRun, decideOn, manualClock } from "./testing/build-run.ts";
export { type AsyncTestRunner, describeAdapter } from "./testing/describe-adapter.ts";
export { describePolicy, type DescribePolicyOptions, type TestRunner } from "./testing/describe-policy.ts";
export { eventsToLines } from "./testing/event-lines.ts";
