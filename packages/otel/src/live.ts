export { type TracedRun, traceRun, type TraceRunOptions } from "./live/trace-run.ts";
export type { SendLimits, SendStatus } from "./queue/send-queue.ts";
