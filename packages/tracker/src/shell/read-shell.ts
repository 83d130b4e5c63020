import type { Activity } from "@phasekit/core";
import { classifyCommand } from "./classify-command.ts";
import type { CommandReading } from "./command-reading.ts";
import { patchFiles } from "../patch-files.ts";
import { parseShell, type ShellCommand } from "./parse-shell.ts";
import { unwrapCommand } from "./unwrap-command.ts";

/** What a command line does, part by part. */
export interface ShellReading {
  /** The part that says most about the line. */
  readonly activity: Activity;
  /** Every activity in order, neighbours of one kind once. */
  readonly parts: readonly Activity[];
  readonly reads: readonly string[];
  readonly searches: readonly string[];
  readonly edits: readonly string[];
  /** Of the edits, those that write a whole file, and those that take one away. */
  readonly creates: readonly string[];
  readonly deletes: readonly string[];
  readonly targets: readonly string[];
  readonly mutates: boolean;
  /** It runs a program of the project or one nobody knows. */
  readonly program: boolean;
  /** The test or check it runs; `trusted` when the line's exit code is the runner's. */
  readonly check: { readonly kind: "test" | "lint" | "build"; readonly runner: string | undefined; readonly trusted: boolean } | undefined;
  /** The line ends by printing the status of what ran before. */
  readonly printsStatus: boolean;
}

const MAX_TARGETS = 32;
const MAX_DEPTH = 4;
const MAX_TARGET = 300;

// The first that occurs names the whole line. A test says more than the edit before it, an edit more than the `cat` behind it.
const WEIGHT: readonly Activity[] = ["finish", "test", "edit", "build", "lint", "install", "vcs-write", "run", "vcs-read", "read", "search", "wait"];

const CREATORS = new Set(["tee", "touch", "create"]);
const REMOVERS = new Set(["rm", "unlink", "shred", "trash"]);

interface Part extends CommandReading {
  readonly removes: boolean;
  readonly creates: readonly string[];
  readonly decides: boolean;
}

/** Reads a command line: lists, pipes, subshells, heredocs and wrapped shells are taken apart, and each part is classified. */
export function readShell(given: string): ShellReading {
  const parts: Part[] = [];
  // What follows SWE-agent's `edit 10:12` is text for the file, not commands.
  const line = /^\s*edit \d+:\d+\s*\n/.test(given) ? given.slice(0, given.indexOf("\n", given.search(/\S/))) : given;
  const { printsStatus } = collect(line, { parts, depth: 0, decides: true });
  const kinds = parts.flatMap(({ activity }) => activity ?? []);
  const targetsOf = (...wanted: readonly Activity[]): readonly string[] => distinct(parts.flatMap(({ activity, targets }) => (activity !== undefined && wanted.includes(activity) ? targets : [])));
  return {
    activity: WEIGHT.find((activity) => kinds.includes(activity)) ?? kinds[0] ?? "other",
    parts: kinds.filter((kind, index) => kind !== kinds[index - 1]),
    reads: targetsOf("read"),
    searches: targetsOf("search"),
    edits: targetsOf("edit"),
    creates: distinct(parts.flatMap(({ creates }) => creates)),
    deletes: distinct(parts.flatMap(({ removes, targets }) => (removes ? targets : []))),
    targets: distinct(parts.flatMap(({ targets }) => targets)),
    mutates: parts.some(({ mutates }) => mutates),
    program: parts.some(({ program }) => program === true),
    check: findCheck(parts),
    printsStatus,
  };
}

function collect(line: string, { parts, depth, decides }: { readonly parts: Part[]; readonly depth: number; readonly decides: boolean }): { readonly printsStatus: boolean } {
  const { commands, printsStatus } = parseShell(line);
  for (const command of commands) {
    const unwrapped = unwrapCommand(command.words);
    const own = decides && command.decides;
    if ("script" in unwrapped) {
      if (depth < MAX_DEPTH) collect(unwrapped.script, { parts, depth: depth + 1, decides: own });
      continue;
    }
    // A shell that reads its script from a heredoc runs that script.
    if (command.input !== undefined && unwrapped.words.length === 1 && /^(ba|z|da|k)?sh$/.test(unwrapped.words[0] ?? "") && depth < MAX_DEPTH) {
      collect(command.input, { parts, depth: depth + 1, decides: false });
      continue;
    }
    const found = withPatch(withOutput(classifyCommand(unwrapped.words, command), { command, words: unwrapped.words, before: parts }), command);
    const [name = ""] = unwrapped.words;
    const edits = found.activity === "edit";
    parts.push({ ...found, decides: own, removes: edits && REMOVERS.has(name), creates: !edits ? [] : CREATORS.has(name) ? found.targets : command.writes });
  }
  return { printsStatus };
}

/** Text that is sent into a file is an edit; the log of a test or a build is not. */
function withOutput(found: CommandReading, { command, words, before }: { readonly command: ShellCommand; readonly words: readonly string[]; readonly before: readonly Part[] }): CommandReading {
  const { activity } = found;
  if (words[0] === "tee" && command.piped && isLoud(before.at(-1)?.activity)) return { ...found, activity: undefined, mutates: false, targets: [] };
  if (command.writes.length === 0) return found;
  const writes = activity === undefined || activity === "read" || activity === "search" || activity === "edit";
  if (!writes || (command.piped && isLoud(before.at(-1)?.activity))) return found;
  return { activity: "edit", targets: activity === "edit" ? [...found.targets, ...command.writes] : command.writes, mutates: true };
}

/** `apply_patch <<EOF` and `git apply <<EOF` name their files in the patch. */
function withPatch(found: CommandReading, { input, words }: ShellCommand): CommandReading {
  if (found.activity !== "edit") return found;
  const patch = input ?? words.find((word) => word.includes("*** Begin Patch"));
  const files = patch === undefined ? [] : patchFiles(patch).map(({ path }) => path);
  return files.length === 0 ? found : { ...found, targets: [...found.targets.filter((target) => target !== patch), ...files] };
}

function isLoud(activity: Activity | undefined): boolean {
  return activity === "test" || activity === "build" || activity === "lint" || activity === "run" || activity === "install";
}

function findCheck(parts: readonly Part[]): ShellReading["check"] {
  for (const kind of ["test", "lint", "build"] as const) {
    const found = parts.filter(({ activity }) => activity === kind);
    if (found.length === 0) continue;
    const runner = found.find((part) => part.runner !== undefined)?.runner;
    // With several runs on one line the code tells about all of them only when each would show in it.
    return { kind, runner, trusted: found.every(({ decides }) => decides) };
  }
  return undefined;
}

function distinct(items: readonly string[]): readonly string[] {
  if (items.length === 0) return items;
  return [...new Set(items.map((item) => item.slice(0, MAX_TARGET)))].slice(0, MAX_TARGETS);
}
