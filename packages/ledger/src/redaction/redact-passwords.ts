/** Passwords that people chose, behind the word and otherwise than by an assignment. */
import { startOfName } from "./name-before.ts";
import { isSecretValue, type ValuePosition } from "./secret-values.ts";
import { endOfMatch, replaceSpans, type Span } from "./text-spans.ts";

const WORD = /passw(?:or)?d/gi;
const HINT = /assword/i;

/** True if a text has the word, and a space to be between it and a value. A pattern is faster than `includes`. */
export const hasPassword = (text: string): boolean => text.indexOf(" ") >= 0 && HINT.test(text);

/** A text between the word and the value, and how sure that makes it. */
interface Link {
  readonly between: RegExp;
  /** The end of the text in front of the name. */
  readonly before?: RegExp;
  readonly position: ValuePosition;
}

const links: readonly Link[] = [
  // `define('DB_PASSWORD', 'x')`.
  { between: /["'`][ \t]{0,2},[ \t]{0,2}["'`]/y, before: /["'`]$/, position: "inline" },
  // `<entry key="password">x</entry>`, `<input type="password" value="x">`.
  { between: /["']>/y, position: "inline" },
  { between: /["'][ \t][^<>\n\r]{0,80}?\bvalue=\\?["']/y, position: "inline" },
  // The next cell of a row.
  { between: /[ \t]{0,20}\|[ \t]{1,4}/y, position: "inline" },
  // `PASSWORD 'x'` in SQL.
  { between: /[ \t]{1,4}["']/y, position: "quoted" },
  // `set -x DB_PASSWORD x`, `setenv`, `ENV`, `config set --secret dbPassword x`.
  {
    between: /[ \t]{1,4}/y,
    before: /(?:^|[^\w-])(?:set|setenv|ENV|ARG|export)(?:[ \t]+--?[A-Za-z-]{1,20}){0,4}[ \t]+$/,
    position: "quoted",
  },
  // A prompt and its answer.
  { between: / for [^\n\r:\\]{1,100}:[ \t]{0,4}(?:\r?\n|\\n)[ \t+>|-]{0,8}/y, position: "inline" },
  { between: / (?:is|was)[ \t]{1,4}["'`]?/y, position: "inline" },
];
const VALUE = /[^\s"'`\\<>]{6,200}/y;
/** The most text that is looked at in front of a name. */
const LONGEST_BEFORE = 100;

/** Takes out passwords behind the word. */
export function redactPasswords(text: string): string {
  const spans: Span[] = [];
  WORD.lastIndex = 0;
  for (let word = WORD.exec(text); word !== null; word = WORD.exec(text)) {
    const span = passwordAfter(text, word.index, WORD.lastIndex);
    if (span === undefined) continue;
    spans.push(span);
    WORD.lastIndex = span.to;
  }
  return replaceSpans(text, spans);
}

function passwordAfter(text: string, start: number, end: number): Span | undefined {
  for (const { between, before, position } of links) {
    const from = endOfMatch(text, end, between);
    if (from === end || (before !== undefined && !before.test(textBefore(text, start)))) continue;
    const to = endOfMatch(text, from, VALUE);
    if (isSecretValue(text.slice(from, to), "password", position)) return { from, to, name: "password" };
  }
  return undefined;
}

/** The text in front of the name that the word is the end of. */
function textBefore(text: string, word: number): string {
  const start = startOfName(text, word);
  return text.slice(Math.max(0, start - LONGEST_BEFORE), start);
}
