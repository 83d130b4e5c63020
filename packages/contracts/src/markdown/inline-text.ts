import { createTagFinder } from "./html-tag.ts";
import type { HtmlVisibility } from "./html-visibility.ts";
import { labelKey } from "./scan-blocks.ts";
import { decodeReferences } from "./visible-characters.ts";

/** A bracket that may become a link or an image, and how much was shown before it. */
interface Opener {
  readonly image: boolean;
  readonly shown: number;
  readonly at: number;
}

const SPECIAL = /[\\`<[\]!*_]/g;
const ANY_SPECIAL = /[\\`<[\]!*_]/;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const AUTOLINK = /<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[^\s<>@]{1,254}@[A-Za-z0-9.-]{1,253})>/y;
/** Parentheses in a link's address nest this deep. */
const MAX_PARENTHESES = 32;

/**
 * Returns the visible text of a paragraph or heading: without emphasis marks, addresses, images, comments and hidden
 * HTML. Reads each character a bounded number of times.
 */
export function inlineText(
  source: string,
  { labels, html }: { readonly labels: ReadonlySet<string>; readonly html: HtmlVisibility },
): string {
  if (!ANY_SPECIAL.test(source)) return html.visible() ? decodeReferences(source) : "";
  const shown: string[] = [];
  const openers: Opener[] = [];
  const tags = createTagFinder(source);
  const ticks = backtickRuns(source);
  const quotes = createQuoteFinder(source);
  const show = (text: string): void => {
    if (text !== "" && html.visible()) shown.push(text);
  };
  let lastBracket = -1;
  let at = 0;
  while (at < source.length) {
    SPECIAL.lastIndex = at;
    const next = SPECIAL.exec(source)?.index ?? source.length;
    show(decodeReferences(source.slice(at, next)));
    at = next;
    switch (source[at]) {
      case "\\": {
        const escaped = source[at + 1] ?? "";
        show(PUNCTUATION.test(escaped) ? escaped : escaped === "\n" ? "\n" : `\\${escaped}`);
        at += 1 + escaped.length;
        break;
      }
      case "`": {
        const run = ticks.runAt(at);
        const close = ticks.next(run, at + run);
        show(close === -1 ? source.slice(at, at + run) : source.slice(at + run, close));
        at = close === -1 ? at + run : close + run;
        break;
      }
      case "<": {
        AUTOLINK.lastIndex = at;
        const link = AUTOLINK.exec(source)?.[1];
        const end = link === undefined ? tags.endOf(at) : at + link.length + 2;
        if (end === -1) show("<");
        else if (link === undefined) html.read(source.slice(at, end));
        else show(link);
        at = end === -1 ? at + 1 : end;
        break;
      }
      case "!":
        if (source[at + 1] === "[") {
          openers.push({ image: true, shown: shown.length, at: at + 2 });
          lastBracket = at + 1;
          at += 2;
        } else {
          show("!");
          at += 1;
        }
        break;
      case "[":
        openers.push({ image: false, shown: shown.length, at: at + 1 });
        show("[");
        lastBracket = at;
        at += 1;
        break;
      case "]": {
        const opener = openers.pop();
        // A label has no brackets within.
        const label = opener?.at === lastBracket + 1 ? source.slice(opener.at, at) : "";
        lastBracket = at;
        const end = opener === undefined ? -1 : linkEnd(source, { label, at, labels, quotes });
        if (opener !== undefined && end !== -1) {
          // The words of an image are for who cannot see it; those of a link stay.
          if (opener.image) shown.length = opener.shown;
          else if (shown[opener.shown] === "[") shown[opener.shown] = "";
          at = end;
        } else {
          show("]");
          at += 1;
        }
        break;
      }
      case "*":
      case "_": {
        const mark = source[at];
        let end = at;
        while (source[end] === mark) end += 1;
        if (!isEmphasis(source[at - 1], source[end], mark)) show(source.slice(at, end));
        at = end;
        break;
      }
      case undefined:
        break;
    }
  }
  return shown.join("");
}

/** Where a link or image that ends its text at `at` is over; -1 when the brackets are just brackets. */
function linkEnd(
  source: string,
  {
    label,
    at,
    labels,
    quotes,
  }: {
    /** The text between the brackets. */
    readonly label: string;
    readonly at: number;
    readonly labels: ReadonlySet<string>;
    readonly quotes: QuoteFinder;
  },
): number {
  if (source[at + 1] === "(") {
    const end = resourceEnd(source, at + 2, quotes);
    if (end !== -1) return end;
  }
  if (labels.size === 0) return -1;
  REFERENCE_LABEL.lastIndex = at + 1;
  const second = REFERENCE_LABEL.exec(source)?.[1];
  if (second !== undefined && second.trim() !== "") return labels.has(labelKey(second)) ? at + second.length + 3 : -1;
  if (label.length > 999 || !labels.has(labelKey(label))) return -1;
  return second === undefined ? at + 1 : at + second.length + 3;
}

const REFERENCE_LABEL = /\[((?:[^\\[\]]|\\[\s\S]){0,999})\]/y;

/** The end of `address "title")`, from behind the opening parenthesis. */
function resourceEnd(source: string, from: number, quotes: QuoteFinder): number {
  let at = skipSpace(source, from);
  if (source[at] === "<") {
    ANGLE.lastIndex = at;
    if (!ANGLE.test(source)) return -1;
    at = ANGLE.lastIndex;
  } else {
    let depth = 0;
    for (; at < source.length; at += 1) {
      const character = source[at] ?? "";
      if (character <= " ") break;
      if (character === "\\" && PUNCTUATION.test(source[at + 1] ?? "")) at += 1;
      else if (character === "(" && ++depth > MAX_PARENTHESES) return -1;
      else if (character === ")" && --depth < 0) return at + 1;
    }
    if (depth > 0) return -1;
  }
  const afterAddress = at;
  at = skipSpace(source, at);
  const quote = source[at];
  if (at > afterAddress && (quote === '"' || quote === "'" || quote === "(")) {
    const end = quotes.endOf(quote === "(" ? ")" : quote, at + 1);
    if (end === -1) return -1;
    at = skipSpace(source, end);
  }
  return source[at] === ")" ? at + 1 : -1;
}

const ANGLE = /<[^\\<>\n]*(?:\\.[^\\<>\n]*)*>/y;

function skipSpace(source: string, from: number): number {
  let at = from;
  while (at < source.length && (source[at] ?? "") <= " ") at += 1;
  return at;
}

/** Finds the closing quote of a title; remembers that there is none. */
interface QuoteFinder {
  readonly endOf: (quote: string, from: number) => number;
}

function createQuoteFinder(source: string): QuoteFinder {
  const gone = new Map<string, number>();
  return {
    endOf: (quote, from) => {
      if (from >= (gone.get(quote) ?? Infinity)) return -1;
      for (let at = from; at < source.length; at += 1) {
        if (source[at] === "\\") at += 1;
        else if (source[at] === quote) return at + 1;
        else if (quote === ")" && source[at] === "(") return -1;
      }
      gone.set(quote, from);
      return -1;
    },
  };
}

/** Runs of backticks: a code span ends with a run as long as the one it began with. */
function backtickRuns(source: string): {
  readonly runAt: (at: number) => number;
  readonly next: (length: number, from: number) => number;
} {
  const lengths = new Map<number, number>();
  const places = new Map<number, { readonly starts: number[]; read: number }>();
  for (const { 0: run, index } of source.matchAll(/`+/g)) {
    lengths.set(index, run.length);
    const known = places.get(run.length);
    if (known === undefined) places.set(run.length, { starts: [index], read: 0 });
    else known.starts.push(index);
  }
  return {
    // A backslash before the run takes its first backtick away.
    runAt: (at) => lengths.get(at) ?? (lengths.get(at - 1) ?? 2) - 1,
    next: (length, from) => {
      const known = places.get(length);
      if (known === undefined) return -1;
      while (known.read < known.starts.length && (known.starts[known.read] ?? 0) < from) known.read += 1;
      return known.starts[known.read] ?? -1;
    },
  };
}

/** True if a run of `*` or `_` is at the edge of a word, where emphasis marks are. */
function isEmphasis(before: string | undefined, after: string | undefined, mark: string | undefined): boolean {
  const left = before === undefined || /\s/.test(before);
  const right = after === undefined || /\s/.test(after);
  if (left && right) return false;
  return mark === "*" || !(isWord(before) && isWord(after));
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}
