import { codeAt, type Cursor, MAX_COMMANDS, MAX_DEPTH, nested } from "./shell-node.ts";

const [NEWLINE, DOUBLE, DOLLAR, SINGLE, OPEN, CLOSE, LESS, GREATER, BACKSLASH, BACKTICK, BRACE] = [
  10, 34, 36, 39, 40, 41, 60, 62, 92, 96, 123,
];

/** 1 for every character that only stands for itself, wherever it is in a word. */
const PLAIN = new Uint8Array(128).fill(1);
for (const special of "\0\t\n\r \"$&'();<>\\`|") PLAIN[special.charCodeAt(0)] = special === "\0" ? 1 : 0;

/**
 * Reads a word: quotes are taken off, `$x` and `$(…)` stay as they are written, and the commands inside are entered.
 */
export function scanWord(cursor: Cursor): string {
  const { text } = cursor;
  let value = "";
  let from = cursor.at;
  for (;;) {
    let { at } = cursor;
    let code = codeAt(text, at);
    while (code > 127 || (code >= 0 && PLAIN[code] === 1)) code = codeAt(text, (at += 1));
    cursor.at = at;
    const quoted =
      code === SINGLE
        ? scanSingle
        : code === DOUBLE
          ? scanDouble
          : code === BACKSLASH
            ? scanEscape
            : code === DOLLAR
              ? scanDollar
              : code === BACKTICK
                ? scanBackticks
                : undefined;
    if (quoted !== undefined) {
      value += text.slice(from, at) + quoted(cursor);
      from = cursor.at;
    } else if ((code === LESS || code === GREATER) && codeAt(text, at + 1) === OPEN && at === from && value === "") {
      // `<(…)`: a file that is another command's output.
      value = scanSubstitution(cursor, 2);
      from = cursor.at;
    } else if (code === OPEN && at > from && "?*+@!=".includes(text.charAt(at - 1))) {
      // `!(a|b)`, `list=(a b)`.
      skipBalanced(cursor, ")");
    } else return value === "" ? text.slice(from, at) : value + text.slice(from, at);
  }
}

function scanSingle(cursor: Cursor): string {
  return cut(cursor, cursor.at + 1, "'");
}

/** The text up to a closing mark; to the end when there is none. */
function cut(cursor: Cursor, from: number, mark: string): string {
  const end = cursor.text.indexOf(mark, from);
  if (end === -1) cursor.whole = false;
  cursor.at = end === -1 ? cursor.text.length : end + 1;
  return cursor.text.slice(from, end === -1 ? undefined : end);
}

function scanDouble(cursor: Cursor): string {
  const { text } = cursor;
  let value = "";
  let from = cursor.at + 1;
  for (cursor.at = from; cursor.at < text.length;) {
    const code = codeAt(text, cursor.at);
    if (code === DOUBLE) {
      cursor.at += 1;
      return value + text.slice(from, cursor.at - 1);
    }
    if (code === BACKSLASH) {
      const escaped = text.charAt(cursor.at + 1);
      value +=
        text.slice(from, cursor.at) + ('"\\$`'.includes(escaped) ? escaped : escaped === "\n" ? "" : `\\${escaped}`);
      from = cursor.at += 2;
    } else if (code === BACKTICK || (code === DOLLAR && codeAt(text, cursor.at + 1) === OPEN)) {
      value += text.slice(from, cursor.at) + (code === BACKTICK ? scanBackticks(cursor) : scanDollar(cursor));
      from = cursor.at;
    } else cursor.at += 1;
  }
  cursor.whole = false;
  return value + text.slice(from);
}

function scanEscape(cursor: Cursor): string {
  const { text } = cursor;
  const escaped = text.charAt(cursor.at + 1);
  const before = text.charAt(cursor.at - 1);
  cursor.at += 2;
  if (escaped === "\n") return "";
  // `.\gradlew.bat`, `C:\x`: in a path of Windows it separates.
  return /[\w.:]/.test(before) && /[\w.]/.test(escaped) ? `\\${escaped}` : escaped;
}

function scanDollar(cursor: Cursor): string {
  const { text } = cursor;
  const start = cursor.at;
  const next = codeAt(text, start + 1);
  if (next === OPEN && codeAt(text, start + 2) !== OPEN) return scanSubstitution(cursor, 2);
  cursor.at += 1;
  if (next === SINGLE) {
    // `$'a\'b'`
    for (cursor.at += 1; cursor.at < text.length && codeAt(text, cursor.at) !== SINGLE; cursor.at += 1)
      if (codeAt(text, cursor.at) === BACKSLASH) cursor.at += 1;
    cursor.at += 1;
    return text
      .slice(start + 2, cursor.at - 1)
      .replace(/\\(.)/g, (_all, mark: string) => (mark === "n" ? "\n" : mark === "t" ? "\t" : mark));
  }
  if (next === OPEN) skipBalanced(cursor, ")");
  else if (next === BRACE) skipBalanced(cursor, "}");
  return text.slice(start, cursor.at);
}

function scanSubstitution(cursor: Cursor, opening: number): string {
  const start = cursor.at;
  if (cursor.depth >= MAX_DEPTH || !cursor.substitutions) {
    cursor.at += opening - 1;
    skipBalanced(cursor, ")");
  } else {
    cursor.at += opening;
    const list = nested(cursor);
    cursor.inner = [...cursor.inner, list];
  }
  return cursor.text.slice(start, cursor.at);
}

function scanBackticks(cursor: Cursor): string {
  const start = cursor.at;
  const text = cut(cursor, start + 1, "`");
  if (cursor.depth < MAX_DEPTH && cursor.commands < MAX_COMMANDS && cursor.substitutions) {
    const inside = { ...cursor, text, at: 0 };
    cursor.inner = [...cursor.inner, nested(inside)];
    cursor.commands = inside.commands;
  }
  return cursor.text.slice(start, cursor.at);
}

/** From an opening parenthesis or brace to behind the one that closes it, or to `end`. */
export function skipBalanced(cursor: Cursor, closing: ")" | "}", end = cursor.text.length): void {
  const { text } = cursor;
  const close = closing === ")" ? CLOSE : 125;
  const open = closing === ")" ? OPEN : BRACE;
  let level = 0;
  while (cursor.at < end) {
    const code = codeAt(text, cursor.at);
    if (code === SINGLE) scanSingle(cursor);
    else if (code === BACKSLASH) cursor.at += 2;
    else {
      cursor.at += 1;
      if (code === open) level += 1;
      else if (code === close && (level -= 1) === 0) return;
    }
  }
  cursor.whole = false;
}

/** Passes over spaces, comments and continued lines; not over the end of a line. */
export function skipBlanks(cursor: Cursor): void {
  const { text } = cursor;
  for (;;) {
    const code = codeAt(text, cursor.at);
    if (code === 32 || code === 9 || code === 13) cursor.at += 1;
    else if (code === BACKSLASH && (codeAt(text, cursor.at + 1) === NEWLINE || text.startsWith("\r\n", cursor.at + 1)))
      cursor.at = text.indexOf("\n", cursor.at) + 1;
    else if (code === 35) {
      const end = text.indexOf("\n", cursor.at);
      cursor.at = end === -1 ? text.length : end;
    } else return;
  }
}
