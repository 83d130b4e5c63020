/** A value of an attribute, as OTLP writes it in JSON: whole numbers are texts. */
export type OtlpValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly OtlpValue[] } };

/** An attribute of a span, a log record or a resource. */
export interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}

/** A span in OTLP/JSON. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 1: internal, 3: client. */
  readonly kind: 1 | 3;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  /** 0: unset, 1: ok, 2: error. */
  readonly status: { readonly code?: 1 | 2; readonly message?: string };
}

/** A log-based event in OTLP/JSON: a log record with a name and the ids of its span. */
export interface OtlpLogRecord {
  readonly timeUnixNano: string;
  readonly observedTimeUnixNano: string;
  readonly severityNumber: 9 | 13 | 17;
  readonly severityText: "INFO" | "WARN" | "ERROR";
  readonly eventName: string;
  readonly body?: OtlpValue;
  readonly attributes: readonly OtlpAttribute[];
  readonly traceId: string;
  readonly spanId: string;
}

interface Resource {
  readonly attributes: readonly OtlpAttribute[];
}

interface Scope {
  readonly name: string;
  readonly version: string;
}

/** The body of a request to `/v1/traces`. */
export interface OtlpTraces {
  readonly resourceSpans: readonly {
    readonly resource: Resource;
    readonly scopeSpans: readonly { readonly scope: Scope; readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** The body of a request to `/v1/logs`. */
export interface OtlpLogs {
  readonly resourceLogs: readonly {
    readonly resource: Resource;
    readonly scopeLogs: readonly { readonly scope: Scope; readonly logRecords: readonly OtlpLogRecord[] }[];
  }[];
}

/** A plain value of an attribute. `undefined` leaves the attribute out: unknown is never 0. */
export type AttributeValue = string | number | boolean | readonly string[] | undefined;

/** Returns attributes from plain values. */
export function attributesFrom(members: Readonly<Record<string, AttributeValue>>): OtlpAttribute[] {
  return new AttributeList().all(members).list;
}

/** Attributes whose values come from a short list, made once: by name and value. */
export type SharedAttributes = Map<string, Map<string, OtlpAttribute>>;

const MAX_SHARED = 100;

/** Collects the attributes of one span or record: shared ones first, then its own. */
export class AttributeList {
  readonly list: OtlpAttribute[] = [];

  constructor(...shared: readonly (readonly OtlpAttribute[])[]) {
    for (const attributes of shared) for (const attribute of attributes) this.list.push(attribute);
  }

  /** Adds an attribute, unless there is nothing to say. */
  set(key: string, value: AttributeValue): this {
    if (value === undefined) return this;
    const given = valueOf(value);
    if (given !== undefined) this.list.push({ key, value: given });
    return this;
  }

  /** Adds a word that many spans share: the attribute is made once. */
  word(key: string, value: string | undefined, made: SharedAttributes): this {
    if (value === undefined) return this;
    const values = made.get(key) ?? new Map<string, OtlpAttribute>();
    if (values.size === 0) made.set(key, values);
    const attribute = values.get(value) ?? { key, value: { stringValue: wellFormed(value) } };
    if (values.size < MAX_SHARED) values.set(value, attribute);
    this.list.push(attribute);
    return this;
  }

  /** Adds texts of JSON, which are well formed. */
  json(key: string, texts: readonly string[]): this {
    if (texts.length > 0)
      this.list.push({ key, value: { arrayValue: { values: texts.map((text) => ({ stringValue: text })) } } });
    return this;
  }

  /** Adds a table of attributes. */
  all(members: Readonly<Record<string, AttributeValue>>): this {
    // own key: from the loop
    for (const key in members) this.set(key, members[key]);
    return this;
  }
}

/** Returns a plain value as OTLP writes it; `undefined` if there is nothing to write. */
export function valueOf(value: AttributeValue): OtlpValue | undefined {
  switch (typeof value) {
    case "string":
      return { stringValue: wellFormed(value) };
    case "boolean":
      return { boolValue: value };
    case "number":
      if (Number.isSafeInteger(value)) return { intValue: String(value) };
      return Number.isFinite(value) ? { doubleValue: value } : undefined;
    case "undefined":
      return undefined;
    default:
      return { arrayValue: { values: value.map((text) => ({ stringValue: wellFormed(text) })) } };
  }
}

/** Returns milliseconds as the nanoseconds of OTLP. */
export function nanoseconds(at: number): string {
  return at >= 1 ? `${String(Math.round(at))}000000` : "0";
}

// Of ES2024, which every runtime has that we support, but not yet the types of ours.
const toWellFormed = (String.prototype as unknown as { readonly toWellFormed: (this: string) => string }).toWellFormed;

/** A strict decoder rejects the whole request for half of a surrogate pair. */
function wellFormed(text: string): string {
  return toWellFormed.call(text);
}
