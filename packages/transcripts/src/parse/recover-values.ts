import { endOfValue } from "./parse-prefix.ts";

/** The values recovered from a damaged line. */
export interface Recovery {
  readonly values: readonly unknown[];
  /** The damage; absent if nothing was lost. */
  readonly why?: string;
}

const MAX_TRIES = 400;

/**
 * Reads what a damaged line still holds: runs of NUL characters around a record are what a crash leaves of blocks that
 * were never written, and half a record may be followed by a whole one on the same line.
 */
export function recoverValues(line: string): Recovery {
  // eslint-disable-next-line no-control-regex -- NUL characters are what is looked for
  const clean = line.replace(/\u0000+/g, "").trim();
  if (clean === "") return { values: [], why: "NUL characters" };
  const whole = tryParse(clean);
  if (whole !== undefined) return { values: [whole] };
  const sequence = readSequence(clean);
  if (sequence !== undefined) return { values: sequence };
  // From the end: the last record on the line is the one that was not cut off.
  let from = clean.length;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    from = clean.lastIndexOf('{"', from - 1);
    if (from <= 0) break;
    const value = tryParse(clean.slice(from));
    // Members of a record are objects too: only one that begins where a record was cut off counts.
    if (value !== undefined && !/[:,[]\s*$/.test(clean.slice(Math.max(0, from - 20), from)))
      return { values: [value], why: "cut off, followed by another record" };
  }
  return { values: [], why: "broken JSON" };
}

/** Records that lack the newline between them; `undefined` when one of them is broken. */
function readSequence(text: string): readonly unknown[] | undefined {
  const values: unknown[] = [];
  for (let rest = text; rest !== "";) {
    const end = endOfValue(rest);
    const value = end === undefined ? undefined : tryParse(rest.slice(0, end));
    if (value === undefined || values.length >= MAX_TRIES) return undefined;
    values.push(value);
    rest = rest.slice(end).trimStart();
  }
  return values;
}

function tryParse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
