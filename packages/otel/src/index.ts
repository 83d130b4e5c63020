export type { Fetch } from "./queue/host.ts";
export type { PostOptions } from "./queue/post.ts";
export type { SendLimits, SendStatus } from "./queue/send-queue.ts";
export {
  type RunSink,
  sendRun,
  type SendRunOptions,
  type SendStoredOptions,
  sendStoredRun,
  type SentRun,
  type SinkBatch,
} from "./sinks/run-sink.ts";
export { sendOtlp, type SendOtlpOptions, type SentOtlp } from "./sinks/send-otlp.ts";
export {
  isWebhookSigned,
  type ReceivedWebhook,
  type SignatureOptions,
  type WebhookOptions,
  webhookSink,
} from "./sinks/webhook-sink.ts";
export { eventsToOtlp, type OtlpDocument, type OtlpOptions } from "./trace/events-to-otlp.ts";
export type { OtlpAttribute, OtlpLogRecord, OtlpLogs, OtlpSpan, OtlpTraces, OtlpValue } from "./trace/otlp.ts";
export { type OtlpRequest, type OtlpRequestOptions, otlpRequests } from "./trace/otlp-requests.ts";
export type { TraceOptions } from "./trace/trace-fold.ts";
