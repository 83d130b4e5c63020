/** Passwords in tables: in a column under such a name, and in the cell behind one. */
import { judgeName } from "./secret-names.ts";
import { isSecretValue } from "./secret-values.ts";
import { replaceSpans, type Span } from "./text-spans.ts";

/** Line ends, also those that are escaped in JSON. */
const LINE_END = /\r?\n|\\n/g;
/** The line between the head of a table and its rows, of Markdown and of programs for databases. */
const DELIMITER = /^[ \t+>]{0,6}\|?[ \t]*:?-{2,}:?[ \t]*(?:[|+][ \t]*:?-{2,}:?[ \t]*){1,60}\|?[ \t]*$/;

interface Cell {
  readonly text: string;
  readonly from: number;
}

/** Takes out passwords in tables. */
export function redactTables(text: string): string {
  if (!text.includes("--")) return text;
  const spans: Span[] = [];
  let before: { readonly text: string; readonly from: number } | undefined;
  let names: readonly boolean[] | undefined;
  let from = 0;
  for (let next = 0; next <= text.length; from = next) {
    const end = endOfLine(text, from);
    next = end.to;
    const line = text.slice(from, end.from);
    if (before !== undefined && DELIMITER.test(line)) names = cellsOf(before.text, before.from).map(isNamed);
    else if (!line.includes("|")) names = undefined;
    else if (names !== undefined) spans.push(...secretsIn(cellsOf(line, from), names));
    before = { text: line, from };
  }
  return replaceSpans(text, spans);
}

function endOfLine(text: string, from: number): { readonly from: number; readonly to: number } {
  LINE_END.lastIndex = from;
  const match = LINE_END.exec(text);
  return match === null ? { from: text.length, to: text.length + 1 } : { from: match.index, to: LINE_END.lastIndex };
}

function secretsIn(cells: readonly Cell[], names: readonly boolean[]): readonly Span[] {
  return cells.flatMap((cell, index) => {
    const previous = cells[index - 1];
    if (names[index] !== true && (previous === undefined || !isNamed(previous))) return [];
    const value = /^([*`"']{0,2})(\S{6,200})\1$/.exec(cell.text)?.[2];
    if (value === undefined || !isSecretValue(value, "password", "inline")) return [];
    const start = cell.from + cell.text.indexOf(value);
    return [{ from: start, to: start + value.length, name: "password" }];
  });
}

const isNamed = ({ text }: Cell): boolean => {
  const kind = /^[\w .:*`-]{3,60}$/.test(text)
    ? judgeName(text.replace(/[^\w]+/g, "_").replace(/^_|_$/g, ""))
    : undefined;
  return kind === "password" || kind === "secret";
};

/** The cells of a row, without the space around them. The first one may be the sign of a diff. */
function cellsOf(line: string, from: number): readonly Cell[] {
  let at = from;
  return line.split("|").map((part) => {
    const text = part.trim();
    const cell = { text, from: at + part.indexOf(text) };
    at += part.length + 1;
    return cell;
  });
}
