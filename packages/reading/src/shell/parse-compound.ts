import { isRedirect, readHeredocs, readRedirect } from "./parse-redirect.ts";
import { scanWord, skipBalanced, skipBlanks } from "./scan-word.ts";
import {
  type Block,
  countCommand,
  type Cursor,
  type List,
  MAX_DEPTH,
  nested,
  NONE,
  type Redirects,
  type ShellNode,
} from "./shell-node.ts";

/** Reads a group, branch, loop or function behind its first word. */
export function readCompound(cursor: Cursor, word: string): ShellNode {
  if (word === "[[") {
    const end = cursor.text.indexOf("]]", cursor.at);
    cursor.at = end === -1 ? cursor.text.length : end + 2;
    return toNode(cursor, []);
  }
  if (word === "function") {
    skipBlanks(cursor);
    return readFunction(cursor, scanWord(cursor));
  }
  if (cursor.depth >= MAX_DEPTH) return toNode(cursor, []);
  if (word === "{") return toNode(cursor, [{ list: readBlock(cursor), decides: true }]);
  return toNode(cursor, word === "if" ? readIf(cursor) : word === "case" ? readCase(cursor) : readLoop(cursor, word));
}

/** `{ … }`, from behind its opening. */
export function readBlock(cursor: Cursor): List {
  cursor.blocks += 1;
  const list = until(cursor, "}");
  cursor.blocks -= 1;
  return list;
}

/** Characters in which `((` is closed again if it is arithmetic. */
const MAX_ARITHMETIC = 1000;

/** `( … )`, from behind its opening, and `(( … ))`, which runs nothing. */
export function readParentheses(cursor: Cursor): ShellNode {
  const { at } = cursor;
  if (cursor.depth >= MAX_DEPTH) skipBalanced(cursor, ")");
  else if (cursor.text.charAt(at + 1) === "(") {
    // `((a) && b)` begins like arithmetic and is none.
    const { whole } = cursor;
    cursor.at += 1;
    skipBalanced(cursor, ")", at + MAX_ARITHMETIC);
    if (cursor.text.charAt(cursor.at) === ")" && cursor.text.charAt(cursor.at - 1) === ")") cursor.at += 1;
    else {
      cursor.at = at;
      cursor.whole = whole;
    }
  }
  if (cursor.at > at) return toNode(cursor, []);
  cursor.at += 1;
  return toNode(cursor, [{ list: until(cursor, ")"), decides: true }]);
}

/** A function is not run where it is defined. */
export function readFunction(cursor: Cursor, name: string): ShellNode {
  skipBlanks(cursor);
  if (cursor.text.charAt(cursor.at) === "(") skipBalanced(cursor, ")");
  skipLines(cursor);
  const mark = cursor.text.charAt(cursor.at);
  if (mark === "{") cursor.at += 1;
  const body = mark === "(" ? readParentheses(cursor) : mark === "{" ? readCompound(cursor, mark) : undefined;
  if (body !== undefined) cursor.functions = new Map([...cursor.functions, [name, body]]);
  return { kind: "blocks", blocks: NONE, redirects: { writes: NONE, input: undefined, inner: NONE } };
}

function readIf(cursor: Cursor): readonly Block[] {
  const blocks: Block[] = [];
  for (let decides = false; ;) {
    const list = nested(cursor);
    blocks.push({ list, decides });
    decides = list.closer !== "elif";
    if (list.closer === "then" || list.closer === "else" || list.closer === "elif") continue;
    if (list.closer !== "fi") cursor.whole = false;
    return blocks;
  }
}

/** The status of a loop is that of its last round: the others are lost. */
function readLoop(cursor: Cursor, word: string): readonly Block[] {
  const blocks: Block[] = [];
  if (word === "while" || word === "until") blocks.push({ list: until(cursor, "do"), decides: false });
  else {
    cursor.inner = NONE;
    while (cursor.at < cursor.text.length) {
      skipLines(cursor);
      const start = cursor.at;
      if (cursor.text.charAt(start) === "(") skipBalanced(cursor, ")");
      else if (scanWord(cursor) === "do") break;
      if (cursor.at === start) cursor.at += 1;
    }
    for (const list of cursor.inner) blocks.push({ list, decides: false });
  }
  blocks.push({ list: until(cursor, "done"), decides: false });
  return blocks;
}

function readCase(cursor: Cursor): readonly Block[] {
  const blocks: Block[] = [];
  skipBlanks(cursor);
  scanWord(cursor);
  skipLines(cursor);
  scanWord(cursor);
  while (cursor.at < cursor.text.length) {
    skipLines(cursor);
    const start = cursor.at;
    // Looked at, not read: reading a pattern and going back to its `)` would read the rest once per pattern.
    if (ESAC.test(cursor.text.slice(start, start + 5))) {
      cursor.at += 4;
      break;
    }
    const end = cursor.text.indexOf(")", start + (cursor.text.charAt(start) === "(" ? 1 : 0));
    if (end === -1) cursor.at = cursor.text.length;
    else cursor.at = end + 1;
    const list = nested(cursor);
    blocks.push({ list, decides: true });
    if (list.closer !== ";;") break;
  }
  return blocks;
}

const ESAC = /^esac(?:$|[\s;&|()<>])/;

function until(cursor: Cursor, closer: string): List {
  const list = nested(cursor);
  if (list.closer !== closer) cursor.whole = false;
  return list;
}

function toNode(cursor: Cursor, blocks: readonly Block[]): ShellNode {
  const redirects: Redirects = { writes: NONE, input: undefined, inner: NONE };
  cursor.inner = NONE;
  countCommand(cursor);
  for (;;) {
    skipBlanks(cursor);
    const [descriptor = ""] = /^\d(?=[<>])/.exec(cursor.text.slice(cursor.at, cursor.at + 2)) ?? [];
    cursor.at += descriptor.length;
    if (!isRedirect(cursor)) return { kind: "blocks", blocks, redirects };
    readRedirect(cursor, redirects, descriptor);
    redirects.inner = cursor.inner;
  }
}

/** Passes over blanks and the ends of lines, with the heredocs behind them. */
export function skipLines(cursor: Cursor): void {
  for (;;) {
    skipBlanks(cursor);
    const mark = cursor.text.charAt(cursor.at);
    if (mark !== "\n" && mark !== ";") return;
    cursor.at += 1;
    if (mark === "\n") readHeredocs(cursor);
  }
}
