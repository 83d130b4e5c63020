export { type OtlpDocument, eventsToOtlp, type OtlpOptions } from "./trace/events-to-otlp.ts";
export type { TraceOptions } from "./trace/trace-fold.ts";
export { type OtlpRequest, type OtlpRequestOptions, otlpRequests } from "./trace/otlp-requests.ts";
