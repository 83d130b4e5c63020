import { hasWord } from "../programs/command-reading.ts";
import { parseScript } from "./parse-script.ts";
import { type SavedStatus, savedStatus } from "./saved-status.ts";
import type { List, Redirects, ShellNode, SimpleNode } from "./shell-node.ts";

/** One program call of a command line, with what decides how to read it. */
export interface ShellCommand {
  /** Name and arguments, without quotes. */
  readonly words: readonly string[];
  /** Files its output goes to. */
  readonly writes: readonly string[];
  /** The beginning of a heredoc or here-string. */
  readonly input: string | undefined;
  /** It reads another command's output. */
  readonly piped: boolean;
  /** Words with substitutions whose commands were read: they come before it. */
  readonly expanded: readonly string[];
  /** Its own exit code is that of the whole line: no pipe, no `|| true` and no `;` behind it. */
  readonly decides: boolean;
  /** Words the line prints to tell how it went. */
  readonly told?: ToldStatus;
}

/** The words of `make && echo fine || echo broken`. */
export interface ToldStatus {
  readonly ok: string | undefined;
  readonly bad: string | undefined;
}

/** A command line, taken apart. */
export interface ShellLine {
  readonly commands: readonly ShellCommand[];
  /** The line ends by printing `$?` or `PIPESTATUS` of what ran before. */
  readonly printsStatus: boolean;
}

/** Characters of a command line that are looked at: most of a line that long is the text of a heredoc. */
const MAX_LINE = 65_536;
const MAX_WITH_HEREDOCS = 1_048_576;
const MAX_CALLS = 4;
const MAX_VARIABLES = 32;
const MAX_VALUE = 400;
const MAX_EXPANSIONS = 512;

interface Place {
  readonly decides: boolean;
  readonly piped: boolean;
  /** The first of a pipe is the one whose status is asked for: `${PIPESTATUS[0]}`. */
  readonly first: boolean;
  /** Not the last statement, but `set -e` would end the line here. */
  readonly ends: boolean;
  readonly told?: ToldStatus | undefined;
}

/** The commands found so far; `set -e` and `set -o pipefail` change what follows them. */
interface Walk {
  readonly commands: ShellCommand[];
  readonly functions: ReadonlyMap<string, ShellNode>;
  aliases: Map<string, string> | undefined;
  /** Values of variables that the line sets itself. */
  variables: Map<string, string> | undefined;
  expansions: number;
  stopsAtErrors: boolean;
  pipesFail: boolean;
  calls: number;
}

/**
 * Parses a command line into its program calls, in order. Without `substitutions` the commands inside `$(…)`, backticks
 * and `<(…)` are passed over: in a script that another shell expanded they were read already.
 */
export function parseShell(
  text: string,
  { substitutions = true }: { readonly substitutions?: boolean } = {},
): ShellLine {
  const { list, functions, whole } = parseScript(clip(text), { substitutions });
  const walk: Walk = {
    commands: [],
    functions,
    aliases: undefined,
    variables: undefined,
    expansions: 0,
    stopsAtErrors: false,
    pipesFail: false,
    calls: 0,
  };
  const saved = savedStatus(list);
  readList(walk, list, { decides: whole, status: saved });
  return { commands: walk.commands, printsStatus: saved?.printed === true };
}

const LOST = { decides: false, status: undefined };

function readList(
  walk: Walk,
  { items, background }: List,
  { decides, status }: { readonly decides: boolean; readonly status: SavedStatus | undefined },
): void {
  const last = status?.of ?? items.length - 1;
  for (let index = 0; index < items.length; index += 1) {
    const node = items[index];
    if (node === undefined || (index > 0 && status?.printed === true && index === items.length - 1)) return;
    const ends = index !== last;
    const counts = decides && !background.includes(index) && (!ends || walk.stopsAtErrors || leaves(node));
    readNode(walk, node, { decides: counts, piped: false, ends, first: status?.first === true && !ends });
  }
}

function readNode(walk: Walk, node: ShellNode, place: Place): void {
  const { decides, piped, ends, first } = place;
  switch (node.kind) {
    case "simple":
      readSimple(walk, node, place);
      return;
    case "and-or":
      for (let index = 0; index < node.parts.length; index += 1) {
        const part = node.parts[index];
        if (part !== undefined)
          readNode(walk, part, {
            decides: decides && isKept(node, index, ends),
            piped: false,
            ends,
            first,
            told: toldBy(node, index),
          });
      }
      return;
    case "pipe":
      for (let index = 0; index < node.parts.length; index += 1) {
        const part = node.parts[index];
        const counts = walk.pipesFail || index === (first ? 0 : node.parts.length - 1);
        if (part !== undefined)
          readNode(walk, part, {
            decides: decides && counts && !node.negated,
            piped: index > 0 || piped,
            ends: false,
            first: false,
          });
      }
      return;
    case "blocks": {
      const before = walk.commands.length;
      for (const block of node.blocks)
        readList(walk, block.list, { decides: decides && block.decides, status: undefined });
      readInner(walk, node.redirects);
      addWrites(walk.commands, before, node.redirects.writes);
    }
  }
}

function readSimple(walk: Walk, node: SimpleNode, place: Place): void {
  readInner(walk, node);
  for (const assigned of node.assignments) assign(walk, assigned);
  const { input } = node;
  const words = expandAll(walk, node.words);
  const writes = expandAll(walk, node.writes);
  const name = words[0] ?? "";
  if (words.length === 0 && writes.length === 0) return;
  if (name === "set") readSet(walk, words);
  else if (name === "alias")
    for (const word of words)
      (walk.aliases ??= new Map()).set(word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1));
  const called = walk.calls < MAX_CALLS ? walk.functions.get(name) : undefined;
  const alias = walk.aliases?.get(name);
  if (called !== undefined) {
    walk.calls += 1;
    readNode(walk, called, place);
  } else
    walk.commands.push({
      words: alias === undefined ? words : [...alias.split(" "), ...words.slice(1)],
      writes,
      input,
      piped: place.piped,
      expanded: node.expanded,
      decides: place.decides,
      ...(place.told !== undefined && { told: place.told }),
    });
}

/** Remembers a variable that the line sets, so that a path behind it is known: `out=/tmp/x; cat > "$out/a"`. */
function assign(walk: Walk, assigned: string): void {
  const at = assigned.indexOf("=");
  const value = MADE.test(assigned.slice(at + 1)) ? TEMPORARY : expand(walk, assigned.slice(at + 1));
  if (value.length > MAX_VALUE || value.includes("$(") || value.includes("`")) return;
  const variables = (walk.variables ??= new Map());
  if (variables.size < MAX_VARIABLES) variables.set(assigned.slice(0, at), value);
}

/** A name `mktemp` makes up; only its place is known. */
const MADE = /^(?:\$\(|`)\s*mktemp\b/;
const TEMPORARY = "/tmp/mktemp";

function expandAll(walk: Walk, words: readonly string[]): readonly string[] {
  return walk.variables === undefined || !words.some((word) => word.includes("$"))
    ? words
    : words.map((word) => expand(walk, word));
}

function expand(walk: Walk, word: string): string {
  const { variables } = walk;
  if (variables === undefined || word.length > MAX_VALUE || !word.includes("$")) return word;
  walk.expansions += 1;
  if (walk.expansions > MAX_EXPANSIONS) return word;
  return word.replace(
    /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g,
    (found, braced?: string, plain?: string) => variables.get(braced ?? plain ?? "") ?? found,
  );
}

/** The words that tell how a part of `make && echo fine || echo broken` went. */
function toldBy({ parts, operators }: Extract<ShellNode, { kind: "and-or" }>, index: number): ToldStatus | undefined {
  const ok = operators[index] === "&&" ? saidBy(parts[index + 1]) : undefined;
  const otherwise = operators.indexOf("||", index);
  const bad = otherwise === -1 ? undefined : saidBy(parts[otherwise + 1]);
  return ok === undefined && bad === undefined ? undefined : { ok, bad };
}

/** The text a command prints and nothing else. */
function saidBy(node: ShellNode | undefined): string | undefined {
  if (node?.kind !== "simple" || node.words[0] !== "echo") return undefined;
  const text = node.words.slice(1).join(" ").trim();
  return text === "" || text.length > MAX_VALUE || /[$`]/.test(text) || text.startsWith("-") ? undefined : text;
}

/** Commands inside `$(…)`, backticks and `<(…)` run too, but their exit code is lost. */
function readInner(walk: Walk, { inner }: Redirects): void {
  for (const list of inner) readList(walk, list, LOST);
}

function readSet(walk: Walk, words: readonly string[]): void {
  if (words.includes("pipefail")) walk.pipesFail = true;
  if (words.includes("errexit") || hasWord(words, /^-[a-z]*e/)) walk.stopsAtErrors = true;
}

/** The output of a group is written by the last command in it. */
function addWrites(commands: ShellCommand[], before: number, writes: readonly string[]): void {
  const last = commands.at(-1);
  if (last !== undefined && writes.length > 0 && commands.length > before)
    commands[commands.length - 1] = { ...last, writes: [...last.writes, ...writes] };
}

/** True if a failure of this part is one of the whole: behind it come only `&&`, and `||` that pass it on. */
function isKept({ parts, operators }: Extract<ShellNode, { kind: "and-or" }>, index: number, ends: boolean): boolean {
  for (let at = index; at < operators.length; at += 1) {
    // Under `set -e` a failure before `&&` does not end the line.
    if (operators[at] === "||" ? !fails(parts[at + 1]) : ends) return false;
  }
  return true;
}

function clip(text: string): string {
  if (text.length <= MAX_LINE) return text;
  const long = text.slice(0, MAX_WITH_HEREDOCS);
  return long.includes("<<") ? long : long.slice(0, MAX_LINE);
}

/** True if what follows `||` only passes the failure on. */
function fails(node: ShellNode | undefined): boolean {
  if (node?.kind === "blocks") return fails(node.blocks.at(-1)?.list.items.at(-1));
  if (node?.kind !== "simple") return false;
  const [name, code = "1"] = node.words;
  return name === "false" || ((name === "exit" || name === "return") && code !== "0");
}

/** `… || exit 1`: a failure ends the line, whatever else is behind it. */
function leaves(node: ShellNode): boolean {
  if (node.kind !== "and-or" || node.operators.at(-1) !== "||") return false;
  const last = node.parts.at(-1);
  return fails(last) && !(last?.kind === "simple" && last.words[0] === "false");
}
