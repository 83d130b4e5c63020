import { readBlock, readCompound, readFunction, readParentheses, skipLines } from "./parse-compound.ts";
import { isRedirect, readHeredocs, readRedirect } from "./parse-redirect.ts";
import { scanWord, skipBlanks } from "./scan-word.ts";
import {
  codeAt,
  countCommand,
  type Cursor,
  type List,
  MAX_DEPTH,
  NONE,
  type ShellNode,
  type SimpleNode,
} from "./shell-node.ts";

/** A whole command line. */
export interface Script {
  readonly list: List;
  readonly functions: ReadonlyMap<string, ShellNode>;
  /** False when something in it did not fit together. */
  readonly whole: boolean;
}

/** Characters outside heredocs that are looked at. */
const MAX_LINE = 65_536;
const NO_FUNCTIONS: ReadonlyMap<string, ShellNode> = new Map();
const MAX_WORDS = 256;
const MAX_WORD = 2000;
const MAX_EXPANDED = 16;
/** The shell's own words, where a command would be. */
const RESERVED: ReadonlyMap<string, "changes" | "opens" | "closes"> = new Map([
  ...["!", "time"].map((word) => [word, "changes"] as const),
  ...["{", "if", "while", "until", "for", "select", "case", "function", "[["].map((word) => [word, "opens"] as const),
  ...["then", "do", "done", "fi", "else", "elif", "esac", "}"].map((word) => [word, "closes"] as const),
]);

/**
 * Takes a command line apart: lists, pipes, groups, branches, loops, functions, redirections, heredocs and
 * substitutions. Reads each character once, and never fails: what does not fit is passed over and `whole` is false.
 */
export function parseScript(text: string, { substitutions = true }: { readonly substitutions?: boolean } = {}): Script {
  const cursor: Cursor = {
    text,
    at: 0,
    depth: 0,
    whole: true,
    inner: NONE,
    heredocs: NONE,
    functions: NO_FUNCTIONS,
    blocks: 0,
    commands: 0,
    limit: MAX_LINE,
    substitutions,
    readList,
  };
  const list = readList(cursor);
  while (cursor.at < text.length) {
    // A closing word without its beginning.
    cursor.whole = false;
    list.items.push(...readList(cursor).items);
  }
  return { list, functions: cursor.functions, whole: cursor.whole };
}

function readList(cursor: Cursor): List {
  const { text } = cursor;
  const list: List = { items: [], background: [], closer: "" };
  while (list.closer === "") {
    skipBlanks(cursor);
    if (cursor.at > cursor.limit) cursor.at = text.length;
    switch (text.charAt(cursor.at)) {
      case "":
        return list;
      case "\n":
        cursor.at += 1;
        readHeredocs(cursor);
        break;
      case ")":
        cursor.at += 1;
        list.closer = ")";
        break;
      case ";":
        cursor.at += 1;
        if (!/^[;&]/.test(text.charAt(cursor.at))) break;
        cursor.at += text.startsWith(";&", cursor.at) ? 2 : 1;
        list.closer = ";;";
        break;
      case "&":
        // `&> file` before a command is a redirection.
        if (isRedirect(cursor)) readStatement(cursor, list);
        else {
          cursor.at += 1;
          const { items, background } = list;
          if (background.at(-1) !== items.length - 1) background.push(items.length - 1);
        }
        break;
      default:
        readStatement(cursor, list);
    }
  }
  return list;
}

function readStatement(cursor: Cursor, list: List): void {
  const start = cursor.at;
  const node = readAndOr(cursor, list);
  if (node !== undefined) list.items.push(node);
  if (cursor.at > start) return;
  // A mark that fits nowhere, as in `||||`: it counts, so that a line of them is not read to its end.
  cursor.at += 1;
  countCommand(cursor);
}

function readAndOr(cursor: Cursor, list: List): ShellNode | undefined {
  const first = readPipeline(cursor, list);
  let chain: { readonly kind: "and-or"; readonly parts: ShellNode[]; readonly operators: string[] } | undefined;
  while (first !== undefined && list.closer === "") {
    skipBlanks(cursor);
    const operator = cursor.text.startsWith("&&", cursor.at)
      ? "&&"
      : cursor.text.startsWith("||", cursor.at)
        ? "||"
        : undefined;
    if (operator === undefined) break;
    cursor.at += 2;
    skipLines(cursor);
    const part = readPipeline(cursor, list);
    if (part === undefined) continue;
    chain ??= { kind: "and-or", parts: [first], operators: [] };
    chain.operators.push(operator);
    chain.parts.push(part);
  }
  return chain ?? first;
}

function readPipeline(cursor: Cursor, list: List): ShellNode | undefined {
  let first: ShellNode | undefined;
  let parts: ShellNode[] | undefined;
  let negated = false;
  for (;;) {
    const node = readCommand(cursor, list);
    if (node === "!") negated = !negated;
    if (typeof node === "string") continue;
    if (first === undefined) first = node;
    else if (node !== undefined) (parts ??= [first]).push(node);
    skipBlanks(cursor);
    if (list.closer !== "" || codeAt(cursor.text, cursor.at) !== 124 || codeAt(cursor.text, cursor.at + 1) === 124)
      break;
    cursor.at += codeAt(cursor.text, cursor.at + 1) === 38 ? 2 : 1;
    // `| | |`: a command that is missing counts too.
    if (node === undefined) countCommand(cursor);
    skipLines(cursor);
  }
  return first === undefined || (parts === undefined && !negated)
    ? first
    : { kind: "pipe", parts: parts ?? [first], negated };
}

/** One command, or a word that only changes how the next one is taken. */
function readCommand(cursor: Cursor, list: List): ShellNode | "!" | "time" | undefined {
  skipBlanks(cursor);
  const { text, at } = cursor;
  if (codeAt(text, at) === 40) return readParentheses(cursor);
  cursor.inner = NONE;
  const word = scanWord(cursor);
  // Only without quotes is it a word of the shell's own.
  if (word.length <= 8 && cursor.at - at === word.length) {
    switch (RESERVED.get(word)) {
      case "changes":
        return word === "!" ? word : "time";
      case "opens":
        return readCompound(cursor, word);
      case "closes":
        list.closer = word;
        return undefined;
      case undefined:
    }
  }
  return readSimple(cursor, { first: cursor.at > at ? word : undefined });
}

function readSimple(cursor: Cursor, { first }: { readonly first: string | undefined }): ShellNode | undefined {
  const { text } = cursor;
  const node: SimpleNode = {
    kind: "simple",
    words: [],
    assignments: NONE,
    expanded: NONE,
    writes: NONE,
    input: undefined,
    inner: NONE,
  };
  const { words } = node;
  let seen = 0;
  for (let word = first; ;) {
    if (word !== undefined) {
      if (isRedirect(cursor) && /^\d+$/.test(word) && codeAt(text, cursor.at) !== 38) readRedirect(cursor, node, word);
      else if (words.length === 0 && node.assignments.length < MAX_WORDS && isAssignment(word))
        node.assignments = [...node.assignments, word];
      else if (words.length < MAX_WORDS) {
        const kept = word.length > MAX_WORD ? word.slice(0, MAX_WORD) : word;
        words.push(kept);
        if (cursor.inner.length > seen && node.expanded.length < MAX_EXPANDED) node.expanded = [...node.expanded, kept];
      }
    }
    skipBlanks(cursor);
    word = undefined;
    if (isRedirect(cursor)) readRedirect(cursor, node, "");
    else if (endsCommand(codeAt(text, cursor.at)) || cursor.at > cursor.limit) {
      if (
        words.length !== 1 ||
        codeAt(text, cursor.at) !== 40 ||
        !/^\(\s*\)/.test(text.slice(cursor.at, cursor.at + 20))
      )
        break;
      return readFunction(cursor, words[0] ?? "");
    } else {
      const start = cursor.at;
      seen = cursor.inner.length;
      word = scanWord(cursor);
      if (cursor.at - start !== 1 || !isBrace(word, cursor)) continue;
      if (word === "}") {
        cursor.at = start;
        break;
      }
      // `try { … } catch { … }`, `ForEach-Object { … }`: in PowerShell a block is an argument.
      const block = readBlock(cursor);
      cursor.inner = [...cursor.inner, block];
      word = undefined;
    }
  }
  node.inner = cursor.inner;
  if (words.length === 0 && node.assignments.length === 0 && node.writes.length === 0 && node.inner.length === 0)
    return undefined;
  countCommand(cursor);
  return node;
}

/** True if a lone brace opens a block, or ends the one around it: PowerShell needs no `;` before it. */
function isBrace(word: string, { depth, blocks }: Cursor): boolean {
  return word === "{" ? depth < MAX_DEPTH : word === "}" && blocks > 0;
}

/** The end of the text or line, and `;&|()`. */
function endsCommand(code: number): boolean {
  return code < 0 || code === 10 || code === 59 || code === 38 || code === 124 || code === 40 || code === 41;
}

function isAssignment(word: string): boolean {
  return word.includes("=") && /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/.test(word);
}
