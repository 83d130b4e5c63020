import { parsePrefix } from "./parse-prefix.ts";

/** The beginning of a transcript, looked at from all sides. */
export interface Sample {
  /**
   * "lines": a JSON value on each line; "document": one JSON value; "text": neither. A file of one line is a document,
   * and its only value may as well be the first of a log.
   */
  readonly layout: "lines" | "document" | "text";
  /** The first values of a log of lines, or the one document; what the sample cut off is missing from the last. */
  readonly values: readonly unknown[];
  readonly text: string;
  /** The sample is the whole transcript. */
  readonly isWhole: boolean;
  /** The values hold everything the sample does: nothing was cut off, left out or broken. */
  readonly isExact: boolean;
  /** For a log of lines: the first `values` are one per line and end at `end`, so they need not be parsed again. */
  readonly whole?: { readonly values: number; readonly end: number };
}

/** Looks at the beginning of a transcript. A byte order mark and leading blanks do not matter. */
export function sampleOf(text: string, { isWhole }: { readonly isWhole: boolean }): Sample {
  // eslint-disable-next-line no-control-regex -- NUL characters are what a crash leaves at the beginning
  const start = text.search(/[^\s\uFEFF\u0000]/);
  const first = text[start];
  if (start === -1 || (first !== "{" && first !== "["))
    return { layout: "text", values: [], text, isWhole, isExact: false };
  const body = text.slice(start);
  const { values, whole, seen } = linesOf(body, isWhole);
  if (values.length === 1 && isWhole) return { layout: "document", values, text, isWhole, isExact: seen === 1 };
  if (values.length > 0)
    return { layout: "lines", values, text, isWhole, isExact: false, ...(start === 0 && { whole }) };
  const parsed = isWhole ? tryParse(body) : undefined;
  const document = parsed ?? parsePrefix(body);
  return document === undefined
    ? { layout: "text", values: [], text, isWhole, isExact: false }
    : { layout: "document", values: [document], text, isWhole, isExact: parsed !== undefined };
}

const MAX_LINES = 40;

/** The values on the lines; none when this is one document printed over several lines. */
function linesOf(
  body: string,
  isWhole: boolean,
): {
  readonly values: readonly unknown[];
  readonly whole: { readonly values: number; readonly end: number };
  readonly seen: number;
} {
  const values: unknown[] = [];
  let whole = { values: 0, end: 0 };
  let from = 0;
  let seen = 0;
  let number = 0;
  while (seen < MAX_LINES && from < body.length) {
    const end = body.indexOf("\n", from);
    if (end === -1 && !isWhole) break;
    const line = body.slice(from, end === -1 ? undefined : end).trim();
    from = end === -1 ? body.length : end + 1;
    number += 1;
    if (line === "") continue;
    seen += 1;
    const value = parseLine(line);
    if (value === undefined) continue;
    values.push(value);
    if (values.length === number) whole = { values: number, end: from };
  }
  // A log may be damaged at its beginning too: most of its lines are still values by themselves.
  return { values: values.length * 2 > seen ? values : [], whole, seen };
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function parseLine(line: string): object | undefined {
  // Recognize the lines of a pretty-printed document without parsing them: failed parses are slow.
  const isClosed = (line.startsWith("{") && line.endsWith("}")) || (line.startsWith("[") && line.endsWith("]"));
  if (!isClosed) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
