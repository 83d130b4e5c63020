import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

// Windows has no such flag. Without it, opening a pipe never returns.
const { O_NONBLOCK: NO_WAIT = 0 } = constants as Readonly<Partial<Record<string, number>>>;

/**
 * Reads a file that anyone may have written. Never waits, and never reads more than the limit.
 * @throws Error if it is not a file or has more bytes
 */
export function readBounded(path: string, { maxBytes }: { readonly maxBytes: number }): Buffer {
  const file = openSync(path, constants.O_RDONLY | NO_WAIT);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error("it is not a file");
    if (stats.size > maxBytes) throw new Error(`it has more than ${String(maxBytes)} bytes`);
    // One byte more than it should have: it may grow while it is read.
    const bytes = Buffer.alloc(stats.size + 1);
    let length = 0;
    for (let count = -1; count !== 0 && length < bytes.length; length += count)
      count = readSync(file, bytes, length, bytes.length - length, length);
    return bytes.subarray(0, Math.min(length, stats.size));
  } finally {
    closeSync(file);
  }
}

const MAX_DEPTH = 32;

/**
 * Parses JSON that anyone may have written.
 * @throws Error if it is not JSON, or nested deeper than 32 levels
 */
export function parseBoundedJson(text: string): unknown {
  if (depthOf(text) > MAX_DEPTH) throw new Error(`it is nested deeper than ${String(MAX_DEPTH)} levels`);
  return JSON.parse(text);
}

/** The deepest nesting of JSON text. */
function depthOf(text: string): number {
  let deepest = 0;
  let depth = 0;
  let isText = false;
  for (let index = 0; index < text.length; index += 1) {
    const mark = text[index];
    if (isText) {
      if (mark === "\\") index += 1;
      else if (mark === '"') isText = false;
    } else if (mark === '"') isText = true;
    else if (mark === "[" || mark === "{") deepest = Math.max(deepest, (depth += 1));
    else if (mark === "]" || mark === "}") depth -= 1;
  }
  return deepest;
}
