import { createRequire } from "node:module";

/** A message of the official protocol, as protobufjs generates it from the .proto files. */
interface Message {
  readonly verify: (object: object) => string | null;
  readonly fromObject: (object: object) => object;
  readonly toObject: (message: object, options: object) => unknown;
  readonly decode: (bytes: Uint8Array) => object;
}

interface Root {
  readonly opentelemetry: {
    readonly proto: {
      readonly collector: {
        readonly trace: { readonly v1: { readonly ExportTraceServiceRequest: Message } };
        readonly logs: { readonly v1: { readonly ExportLogsServiceRequest: Message } };
      };
    };
  };
}

// The last version that ships the classes generated from the official .proto files: an independent decoder, because
// neither our code nor the exporters under test use it.
const root = createRequire(import.meta.url)("@opentelemetry/otlp-transformer/build/src/generated/root.js") as Root;
const { trace, logs } = root.opentelemetry.proto.collector;
const messages = { traces: trace.v1.ExportTraceServiceRequest, logs: logs.v1.ExportLogsServiceRequest };

/** Decodes a request in protobuf. */
export function decode(signal: keyof typeof messages, bytes: Uint8Array): unknown {
  const message = messages[signal];
  return withHexIds(message.toObject(message.decode(bytes), { longs: String, bytes: Array }));
}

/**
 * Takes OTLP/JSON as strictly as the protocol says: every member is known and has the right type. Returns the request
 * as the classes write it.
 */
export function parseStrictly(signal: keyof typeof messages, body: string): unknown {
  const message = messages[signal];
  const given = JSON.parse(body) as object;
  const binary = withBinaryIds(given) as object;
  const problem = message.verify(binary);
  if (problem !== null) throw new Error(problem);
  const taken = withHexIds(message.toObject(message.fromObject(binary), { longs: String, bytes: Array }));
  const [lost] = missing(given, taken, "");
  if (lost !== undefined) throw new Error(`Unknown or changed: ${lost}`);
  return taken;
}

const IDS = new Set(["traceId", "spanId", "parentSpanId"]);

/** In JSON, ids are hex and not Base64: the one exception of the protocol. Whole numbers are texts. */
function withBinaryIds(value: unknown, key = ""): unknown {
  if (IDS.has(key)) return Uint8Array.from(Buffer.from(value as string, "hex"));
  if (key.endsWith("UnixNano") || key === "intValue") return longOf(value as string);
  if (Array.isArray(value)) return value.map((item) => withBinaryIds(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withBinaryIds(item, name)]));
}

/** Two halves, as protobufjs takes 64 bits without a library for them. */
function longOf(text: string): object {
  const bits = BigInt.asUintN(64, BigInt(text));
  return { low: Number(BigInt.asIntN(32, bits)), high: Number(BigInt.asIntN(32, bits >> 32n)), unsigned: false };
}

function withHexIds(value: unknown, key = ""): unknown {
  if (IDS.has(key)) return Buffer.from(value as number[]).toString("hex");
  if (Array.isArray(value)) return value.map((item) => withHexIds(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withHexIds(item, name)]));
}

/** Paths of members that are not in the other value, or differ there. */
function missing(given: unknown, taken: unknown, path: string): readonly string[] {
  if (typeof given !== "object" || given === null)
    return given === taken ? [] : [`${path} (${String(given)} → ${String(taken)})`];
  return Object.entries(given).flatMap(([name, value]) =>
    missing(value, (taken as Readonly<Record<string, unknown>> | undefined)?.[name], `${path}.${name}`),
  );
}
