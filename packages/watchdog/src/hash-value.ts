const MAX_DEPTH = 8;
const LONG = 16_384;

interface Hashing {
  readonly depth: number;
  /** Members still to be looked at; what is beyond does not count. */
  readonly budget: { left: number };
}

/** Hashes any value: member order, -0 and missing members make no difference; depth and size are bounded. */
export function hashValue(value: unknown, hashing: Hashing): number {
  switch (typeof value) {
    case "string":
      return hashString(value, 17);
    case "number":
      // -0 is 0; every NaN is one.
      return (value | 0) === value ? Math.imul(value, 0x85ebca6b) >>> 0 : hashString(String(value), 23);
    case "boolean":
      return value ? 0x2545f491 : 0x6c078965;
    case "object":
      return value === null ? 0x41c64e6d : hashMembers(value, hashing);
    case "bigint":
      return hashString(value.toString(), 29);
    default:
      return 0;
  }
}

function hashMembers(value: object, { depth, budget }: Hashing): number {
  if (depth > MAX_DEPTH || budget.left <= 0) return 0x5bd1e995;
  if (isBytes(value)) return hashBytes(ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : new Uint8Array(value));
  const inner = { depth: depth + 1, budget };
  if (Array.isArray(value)) {
    let hash = 0x1000193;
    for (const item of value as readonly unknown[]) {
      if ((budget.left -= 1) < 0) break;
      hash = (Math.imul(hash, 31) + hashValue(item, inner)) | 0;
    }
    return hash >>> 0;
  }
  let sum = 0x811c9dc5;
  for (const key in value) {
    if ((budget.left -= 1) < 0) break;
    const member = (value as Readonly<Record<string, unknown>>)[key];
    if (member !== undefined) sum = (sum + Math.imul(hashString(key, 5) ^ hashValue(member, inner), 0x9e3779b1)) | 0;
  }
  return sum >>> 0;
}

/** Whether a value is binary data: its members are as many as its bytes. */
export function isBytes(value: object): value is ArrayBuffer | ArrayBufferView {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}

const ENDS = 4096;

/** Hashes bytes by their number, their beginning and their end: a picture or a file may hold millions. */
function hashBytes(bytes: Uint8Array): number {
  const { length } = bytes;
  let hash = (0x811c9dc5 ^ 31 ^ length) | 0;
  const head = bytes.subarray(0, ENDS);
  const tail = bytes.subarray(Math.max(ENDS, length - ENDS));
  for (const part of [head, tail]) for (const byte of part) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** Hashes a text. Very long ones are hashed by samples: every few characters, and the whole end. */
export function hashString(text: string, seed: number): number {
  const { length } = text;
  const step = length <= LONG ? 1 : Math.ceil(length / LONG);
  // Two hashes of every other character each: a processor works on both at once.
  let even = (0x811c9dc5 ^ seed ^ length) | 0;
  let odd = seed;
  let index = 0;
  for (; index + step < length; index += 2 * step) {
    even = Math.imul(even ^ text.charCodeAt(index), 0x01000193);
    odd = Math.imul(odd ^ text.charCodeAt(index + step), 0x01000193);
  }
  if (index < length) even = Math.imul(even ^ text.charCodeAt(index), 0x01000193);
  if (step > 1) for (index = length - 64; index < length; index += 1) even = Math.imul(even ^ text.charCodeAt(index), 0x01000193);
  const hash = Math.imul(odd ^ (odd >>> 15), 0x85ebca6b) ^ even;
  return (hash ^ (hash >>> 15)) >>> 0;
}

const DIGITS = "0123456789abcdefghijklmnopqrstuv";
const PAIRS = Array.from({ length: 1024 }, (_, pair) => `${DIGITS[pair >> 5] ?? ""}${DIGITS[pair & 31] ?? ""}`);

/** A hash of 30 bits as six letters and digits. A table, because `toString(32)` takes longer than all the hashing. */
export function hashToText(hash: number): string {
  return `${PAIRS[(hash >>> 20) & 1023] ?? ""}${PAIRS[(hash >>> 10) & 1023] ?? ""}${PAIRS[hash & 1023] ?? ""}`;
}

/** Makes 30 bits of 32, so that all of them still count. */
export function shortened(hash: number): number {
  return (hash ^ (hash >>> 30)) & 0x3fffffff;
}
