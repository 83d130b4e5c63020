import { host } from "../queue/host.ts";
import type { OtlpAttribute, OtlpLogRecord, OtlpLogs, OtlpSpan, OtlpTraces, OtlpValue } from "./otlp.ts";

/**
 * Encodes a request in protobuf: every OTLP/HTTP server takes that, and only some take JSON. The numbers are those of
 * the fields in the protocol's .proto files.
 */
export function tracesToProtobuf({ resourceSpans }: OtlpTraces): Uint8Array<ArrayBuffer> {
  const request = new ProtoMessage();
  for (const { resource, scopeSpans } of resourceSpans) {
    const part = new ProtoMessage().message(1, attributes(new ProtoMessage(), 1, resource.attributes));
    for (const { scope, spans } of scopeSpans) {
      const inner = new ProtoMessage().message(1, new ProtoMessage().text(1, scope.name).text(2, scope.version));
      for (const span of spans) inner.message(2, spanMessage(span));
      part.message(2, inner);
    }
    request.message(1, part);
  }
  return request.bytes();
}

/** Encodes log records in the same way. */
export function logsToProtobuf({ resourceLogs }: OtlpLogs): Uint8Array<ArrayBuffer> {
  const request = new ProtoMessage();
  for (const { resource, scopeLogs } of resourceLogs) {
    const part = new ProtoMessage().message(1, attributes(new ProtoMessage(), 1, resource.attributes));
    for (const { scope, logRecords } of scopeLogs) {
      const inner = new ProtoMessage().message(1, new ProtoMessage().text(1, scope.name).text(2, scope.version));
      for (const record of logRecords) inner.message(2, recordMessage(record));
      part.message(2, inner);
    }
    request.message(1, part);
  }
  return request.bytes();
}

function spanMessage(span: OtlpSpan): ProtoMessage {
  const { parentSpanId, status } = span;
  const message = new ProtoMessage().hex(1, span.traceId).hex(2, span.spanId);
  if (parentSpanId !== undefined) message.hex(4, parentSpanId);
  message.text(5, span.name).varint(6, span.kind).fixed64(7, span.startTimeUnixNano).fixed64(8, span.endTimeUnixNano);
  attributes(message, 9, span.attributes);
  const ended = new ProtoMessage();
  if (status.message !== undefined) ended.text(2, status.message);
  if (status.code !== undefined) ended.varint(3, status.code);
  return message.message(15, ended);
}

function recordMessage(record: OtlpLogRecord): ProtoMessage {
  const { body } = record;
  const message = new ProtoMessage()
    .fixed64(1, record.timeUnixNano)
    .varint(2, record.severityNumber)
    .text(3, record.severityText);
  if (body !== undefined) message.message(5, valueMessage(body));
  return attributes(message, 6, record.attributes)
    .hex(9, record.traceId)
    .hex(10, record.spanId)
    .fixed64(11, record.observedTimeUnixNano)
    .text(12, record.eventName);
}

function attributes(message: ProtoMessage, field: number, list: readonly OtlpAttribute[]): ProtoMessage {
  for (const { key, value } of list)
    message.message(field, new ProtoMessage().text(1, key).message(2, valueMessage(value)));
  return message;
}

function valueMessage(value: OtlpValue): ProtoMessage {
  const message = new ProtoMessage();
  if ("stringValue" in value) return message.text(1, value.stringValue);
  if ("boolValue" in value) return message.varint(2, value.boolValue ? 1 : 0);
  if ("intValue" in value) return message.varint(3, BigInt(value.intValue));
  if ("doubleValue" in value) return message.double(4, value.doubleValue);
  const list = new ProtoMessage();
  for (const item of value.arrayValue.values) list.message(1, valueMessage(item));
  return message.message(5, list);
}

const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;

/** A message of protobuf, field by field. */
class ProtoMessage {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  varint(field: number, value: number | bigint): this {
    return this.#add(varintBytes((field << 3) | VARINT)).#add(varintBytes(BigInt.asUintN(64, BigInt(value))));
  }

  fixed64(field: number, value: string): this {
    const bytes = new DataView(new ArrayBuffer(8));
    bytes.setBigUint64(0, BigInt(value), true);
    return this.#add(varintBytes((field << 3) | FIXED64)).#add(new Uint8Array(bytes.buffer));
  }

  double(field: number, value: number): this {
    const bytes = new DataView(new ArrayBuffer(8));
    bytes.setFloat64(0, value, true);
    return this.#add(varintBytes((field << 3) | FIXED64)).#add(new Uint8Array(bytes.buffer));
  }

  text(field: number, value: string): this {
    return this.#chunk(field, [new host.TextEncoder().encode(value)]);
  }

  hex(field: number, value: string): this {
    return this.#chunk(field, [Uint8Array.from(value.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))]);
  }

  message(field: number, inner: ProtoMessage): this {
    return this.#chunk(field, inner.#parts, inner.#length);
  }

  bytes(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }

  #chunk(field: number, parts: readonly Uint8Array[], length = parts[0]?.length ?? 0): this {
    this.#add(varintBytes((field << 3) | LENGTH)).#add(varintBytes(length));
    for (const part of parts) this.#add(part);
    return this;
  }

  #add(part: Uint8Array): this {
    this.#parts.push(part);
    this.#length += part.length;
    return this;
  }
}

function varintBytes(value: number | bigint): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  let rest = BigInt(value);
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}
