/** Most commands have none of these, so they share one list. */
export const NONE: readonly never[] = [];

/** Where the output of a part goes, what it is fed, and the substitutions in its words. */
export interface Redirects {
  writes: readonly string[];
  /** A heredoc or here-string. */
  input: string | undefined;
  inner: readonly List[];
}

/** A program call with its redirections. */
export interface SimpleNode extends Redirects {
  readonly kind: "simple";
  readonly words: string[];
  /** `A=1` before the name. */
  assignments: readonly string[];
  /** Words with substitutions in them, the first few. */
  expanded: readonly string[];
}

/** A list inside a group, branch or loop, and whether its status is that of the whole. */
export interface Block {
  readonly list: List;
  readonly decides: boolean;
}

/** A part of a command line. */
export type ShellNode =
  | SimpleNode
  | { readonly kind: "and-or"; readonly parts: readonly ShellNode[]; readonly operators: readonly string[] }
  | { readonly kind: "pipe"; readonly parts: readonly ShellNode[]; readonly negated: boolean }
  | { readonly kind: "blocks"; readonly blocks: readonly Block[]; readonly redirects: Redirects };

/** Statements one after another. */
export interface List {
  readonly items: ShellNode[];
  /** Places of the statements the line does not wait for: `a &`. Ascending, each once. */
  readonly background: number[];
  /** The word or mark that ended it; empty at the end of the text. */
  closer: string;
}

/** Where in a command line the parser is, and what it has found besides statements. */
export interface Cursor {
  readonly text: string;
  at: number;
  /** Groups and substitutions around the present place. */
  depth: number;
  /** False once something did not fit together: an open quote, a closing word without its beginning. */
  whole: boolean;
  /** The substitutions of the command that is being read. */
  inner: readonly List[];
  /** Heredocs whose text begins behind the present line. */
  heredocs: readonly { readonly delimiter: string; readonly node: Redirects }[];
  functions: ReadonlyMap<string, ShellNode>;
  /** Those of them that a brace ends. */
  blocks: number;
  /** Commands and groups so far. */
  commands: number;
  /** Where the parser gives up; the texts of heredocs do not count. */
  limit: number;
  /** True if the commands inside `$(…)`, backticks and `<(…)` are read; otherwise they are passed over. */
  readonly substitutions: boolean;
  readonly readList: (cursor: Cursor) => List;
}

/** The character at a place, and -1 behind the end: reading there with `charCodeAt` would make every reading slow. */
export function codeAt(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : -1;
}

/** Levels of groups and substitutions that are looked into; what is deeper is passed over. */
export const MAX_DEPTH = 24;

/** Commands and groups that are looked at. */
export const MAX_COMMANDS = 256;

/** Counts a command or group; when there are too many or the line is too long, the rest is not read. */
export function countCommand(cursor: Cursor): void {
  cursor.commands += 1;
  if (cursor.commands >= MAX_COMMANDS || cursor.at > cursor.limit) cursor.at = cursor.text.length;
}

/** Reads a list inside something. Empty ones count too: `$() $() …`. */
export function nested(cursor: Cursor): List {
  countCommand(cursor);
  const { inner } = cursor;
  cursor.depth += 1;
  const found = cursor.readList(cursor);
  cursor.depth -= 1;
  cursor.inner = inner;
  return found;
}
