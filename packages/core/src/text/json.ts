/** A JSON value: what an event may carry. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json;
}

const MAX_DEPTH = 64;
const MAX_KEYS = 10_000;

/** A JSON copy of a value and the characters its strings and keys hold. */
export interface NormalizedJson {
  readonly value: Json;
  readonly size: number;
}

/**
 * Copies any value as JSON. Never throws: what JSON cannot carry (cycles, functions, BigInt, NaN, a getter that
 * throws, nesting past 64, more than 10,000 keys) becomes a short placeholder. `undefined` members are left out.
 */
export function normalizeJson(value: unknown): NormalizedJson {
  const walk: Walk = { size: 0, keys: 0, depth: 0, open: [] };
  return { value: copy(value, walk), size: walk.size };
}

/** Converts a value without a size limit: for fields that are small by nature. */
export function toJson(value: unknown): Json {
  return normalizeJson(value).value;
}

interface Walk {
  size: number;
  keys: number;
  depth: number;
  readonly open: object[];
}

function copy(value: unknown, walk: Walk): Json {
  switch (typeof value) {
    case "string":
      walk.size += value.length;
      return value;
    case "boolean":
      return value;
    case "number":
      // -0 is 0 in JSON; NaN and the infinities have no JSON form.
      return Number.isFinite(value) ? value + 0 : `[${String(value)}]`;
    case "object":
      return value === null ? null : copyObject(value, walk);
    case "bigint":
      return `[bigint ${value.toString().slice(0, 40)}]`;
    case "undefined":
      return null;
    case "function":
      return "[function]";
    case "symbol":
      return "[symbol]";
  }
}

function copyObject(value: object, walk: Walk): Json {
  if (walk.open.includes(value)) return "[circular]";
  if (walk.depth >= MAX_DEPTH) return "[nested too deep]";
  walk.open.push(value);
  walk.depth += 1;
  try {
    return copyMembers(value, walk);
  } catch {
    return "[unreadable]";
  } finally {
    walk.depth -= 1;
    walk.open.pop();
  }
}

function copyMembers(value: object, walk: Walk): Json {
  if (Array.isArray(value)) {
    const items: Json[] = [];
    for (const item of value as readonly unknown[]) {
      if (++walk.keys > MAX_KEYS) {
        items.push(`[${String(value.length - items.length)} more]`);
        break;
      }
      items.push(copy(item, walk));
    }
    return items;
  }
  if (value instanceof Error) return copyError(value, walk);
  if (ArrayBuffer.isView(value)) return nameBytes(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  if (value instanceof ArrayBuffer) return nameBytes(new Uint8Array(value));
  if (value instanceof Map) return copy(Object.fromEntries(value as ReadonlyMap<string, unknown>), walk);
  if (value instanceof Set) return copy([...(value as ReadonlySet<unknown>)], walk);
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === "function") return copy(toJSON.call(value), walk);
  const members: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    const member = readMember(value, key);
    if (member === undefined) continue;
    if (++walk.keys > MAX_KEYS) {
      members["[more]"] = true;
      break;
    }
    walk.size += key.length;
    // own key: a "__proto__" member would set the prototype of the copy instead of a member of it.
    if (key !== "__proto__") members[key] = copy(member, walk);
  }
  return members;
}

const SAMPLES = 2048;
const FEW_BYTES = 64;

/** Bytes by their number and a hash of samples: two images of one size still differ, and a large one costs no more. */
function nameBytes(bytes: Uint8Array): string {
  const size = `${String(bytes.length)} bytes`;
  if (bytes.length < FEW_BYTES) return `[${size}]`;
  const stride = Math.max(1, Math.floor(bytes.length / SAMPLES));
  let hash = 0x811c9dc5;
  for (let at = bytes.length - 1; at >= 0; at -= stride) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return `[${size} #${(hash >>> 0).toString(36)}]`;
}

/**
 * The members of a host's object, each read once; one that throws is "[unreadable]". Other values have none: bytes and
 * lists are never options, and may be millions of members long.
 */
export function readMembers(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return {};
  try {
    return isSequence(value) ? {} : { ...value };
  } catch {
    return readOneByOne(value);
  }
}

/** True for bytes, lists and texts: objects whose members are numbered. */
export function isSequence(value: object): boolean {
  return Array.isArray(value) || ArrayBuffer.isView(value) || value instanceof String;
}

function readOneByOne(value: object): Readonly<Record<string, unknown>> {
  const members: Record<string, unknown> = {};
  try {
    // own key: "__proto__" is left out.
    for (const key of Object.keys(value)) if (key !== "__proto__") members[key] = readMember(value, key);
  } catch {
    // A proxy that does not even tell its keys.
  }
  return members;
}

function readMember(value: object, key: string): unknown {
  try {
    return (value as Readonly<Record<string, unknown>>)[key];
  } catch {
    return "[unreadable]";
  }
}

function copyError(error: Error, walk: Walk): Json {
  const { code, status } = error as { readonly code?: unknown; readonly status?: unknown };
  const members: Record<string, Json> = { name: copy(error.name, walk), message: copy(error.message, walk) };
  if (code !== undefined) members["code"] = copy(code, walk);
  if (status !== undefined) members["status"] = copy(status, walk);
  if (error.cause !== undefined) members["cause"] = copy(error.cause, walk);
  return members;
}
