/** A part of a text to replace by `[redacted:name]`. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

/** Replaces spans that are in order and do not overlap. */
export function replaceSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  let result = "";
  let at = 0;
  for (const { from, to, name } of spans) {
    result += `${text.slice(at, from)}[redacted:${name}]`;
    at = to;
  }
  return result + text.slice(at);
}

/** The text after a quote, up to its end. */
export const quotedValues: Readonly<Record<string, RegExp>> = {
  '"': /(?:[^"\\\r\n]|\\.){0,4000}/y,
  "'": /(?:[^'\\\r\n]|\\.){0,4000}/y,
  "`": /(?:[^`\\\r\n]|\\.){0,4000}/y,
};
/** A value without quotes. */
export const bareValue = /[^\s"'`\\,;)}\]&|<>]{0,4000}/y;

/** Where the match of a sticky pattern ends. */
export function endOfMatch(text: string, from: number, pattern: RegExp): number {
  pattern.lastIndex = from;
  return from + (pattern.exec(text)?.[0].length ?? 0);
}
