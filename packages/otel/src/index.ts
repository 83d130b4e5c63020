export { type OtlpDocument, eventsToOtlp, type OtlpOptions } from "./trace/events-to-otlp.ts";
export type { TraceOptions } from "./trace/trace-fold.ts";
