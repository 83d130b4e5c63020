import type { Activity } from "@phasekit/core";
import type { Draft } from "../draft.ts";
import { isScratchFile } from "../file-kind.ts";
import { patchFiles } from "../patch-files.ts";
import { classifyCommand } from "./classify-command.ts";
import { baseName, type CommandReading } from "./command-reading.ts";
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
  /** That program is code of the agent's own, handed over as text: `python -c`, a heredoc. */
  readonly inline: boolean;
  /** The test or check it runs; `trusted` when the line's exit code is the runner's. */
  readonly check: { readonly kind: "test" | "lint" | "build"; readonly runner: string | undefined; readonly trusted: boolean } | undefined;
  /** The line ends by printing the status of what ran before. */
  readonly printsStatus: boolean;
}

const MAX_TARGETS = 32;
const MAX_DEPTH = 4;
const MAX_TARGET = 300;
const MAX_PARTS = 256;
const NONE: readonly never[] = [];

// The first that occurs names the whole line. A test says more than the edit before it, an edit more than the `cat` behind it.
const WEIGHT: readonly Activity[] = ["finish", "test", "edit", "build", "lint", "install", "vcs-write", "run", "read", "search", "vcs-read", "wait"];

const CREATORS = new Set(["tee", "touch", "create", "new-item"]);
const REMOVERS = new Set(["rm", "unlink", "shred", "trash", "del", "erase", "rd", "remove-item"]);

/** Reads a command line: lists, pipes, subshells, heredocs and wrapped shells are taken apart, and each part is classified. */
export function readShell(given: string): ShellReading {
  const reading: Draft<ShellReading> = { activity: "other", parts: NONE, reads: NONE, searches: NONE, edits: NONE, creates: NONE, deletes: NONE, targets: NONE, mutates: false, program: false, inline: false, check: undefined, printsStatus: false };
  // What follows SWE-agent's `edit 10:12` is text for the file, not commands.
  const line = given.startsWith("edit ") && /^edit \d+:\d+\s*\n/.test(given) ? given.slice(0, given.indexOf("\n")) : given;
  reading.printsStatus = collect(line, { reading, depth: 0, decides: true });
  if (reading.parts.length > 1) reading.activity = mainActivity(reading);
  return reading;
}

/** Which of several parts says most about a line. */
function mainActivity({ parts, program, edits, creates }: ShellReading): Activity {
  const found = WEIGHT.find((known) => parts.includes(known)) ?? parts[0] ?? "run";
  // What is built or written only to be run is run: `gcc repro.c && ./a.out`, a reproduction in a heredoc.
  const prepares = found === "build" || (found === "edit" && edits.every((file) => isScratchFile(file, { created: creates.includes(file) })));
  return prepares && program && parts.at(-1) === "run" ? "run" : found;
}

/** Classifies the commands of a line, and those of the lines it hands to other shells. Says whether it prints a status. */
function collect(line: string, { reading, depth, decides }: { readonly reading: Draft<ShellReading>; readonly depth: number; readonly decides: boolean }): boolean {
  const { commands, printsStatus } = parseShell(line);
  let before: Activity | undefined;
  // Something did run, even if it only printed or set something.
  if (commands.length > 0 && reading.parts.length === 0) reading.activity = "run";
  for (const command of commands) {
    const inner = unwrapCommand(command.words);
    const own = decides && command.decides;
    const script = typeof inner === "string" ? inner : command.input === undefined ? undefined : fedScript(command);
    if (script !== undefined) {
      if (depth < MAX_DEPTH) collect(script, { reading, depth: depth + 1, decides: own && command.input === undefined });
    } else if (typeof inner !== "string") {
      const found = readCommand(inner, command, before);
      add(reading, found, { name: inner[0] ?? "", writes: command.writes, decides: own });
      before = found.activity;
    }
  }
  return printsStatus;
}

/** What one command of a line does, with what it is fed and where its output goes. */
function readCommand(words: readonly string[], command: ShellCommand, before: Activity | undefined): CommandReading {
  // What `xargs` hands over are arguments: `| xargs cat` reads those files.
  const place = command.piped && /^(?:xargs|parallel)$/.test(command.words[0] ?? "") ? { piped: false, input: command.input } : command;
  const found = classifyCommand(words, place);
  const sent = command.piped || command.writes.length > 0 ? withOutput(found, { command, name: words[0] ?? "", before }) : found;
  return sent.activity === "edit" ? withPatch(sent, command) : sent;
}

function add(reading: Draft<ShellReading>, { activity, targets, mutates, program, inline, runner }: CommandReading, { name, writes, decides }: { readonly name: string; readonly writes: readonly string[]; readonly decides: boolean }): void {
  const { parts } = reading;
  if (activity === undefined || parts.length >= MAX_PARTS) return;
  if (parts.length === 0) reading.activity = activity;
  if (parts.at(-1) !== activity) reading.parts = [...parts, activity];
  if (mutates) reading.mutates = true;
  if (program) reading.program = true;
  if (inline === true) reading.inline = true;
  reading.targets = joined(reading.targets, targets);
  switch (activity) {
    case "read":
      reading.reads = joined(reading.reads, targets);
      return;
    case "search":
      reading.searches = joined(reading.searches, targets);
      return;
    case "edit": {
      const editor = baseName(name).toLowerCase();
      reading.edits = joined(reading.edits, targets);
      if (REMOVERS.has(editor)) reading.deletes = joined(reading.deletes, targets);
      reading.creates = joined(reading.creates, CREATORS.has(editor) ? targets : writes);
      return;
    }
    default: {
      const kind = CHECKS.find((known) => known === activity);
      if (kind !== undefined) reading.check = joinedCheck(reading.check, { kind, runner, trusted: decides });
    }
  }
}

/** A shell that reads its script from a heredoc runs that script. */
function fedScript({ input, words }: ShellCommand): string | undefined {
  return /^(?:ba|z|da|k)?sh$/.test(baseName(words[0] ?? "")) && words.slice(1).every((word) => word.startsWith("-")) ? input : undefined;
}

/** Text that is sent into a file is an edit; the log of a test or a build is not. */
function withOutput(found: CommandReading, { command, name, before }: { readonly command: ShellCommand; readonly name: string; readonly before: Activity | undefined }): CommandReading {
  const { activity } = found;
  const log = command.piped && isLoud(before);
  if (log && /^tee(?:-object)?$/i.test(baseName(name))) return { ...found, activity: undefined };
  if (command.writes.length === 0 || log || (activity !== undefined && activity !== "read" && activity !== "search" && activity !== "edit")) return found;
  return { ...found, activity: "edit", targets: activity === "edit" ? [...found.targets, ...command.writes] : command.writes, mutates: true };
}

/** `apply_patch <<EOF` and `git apply <<EOF` name their files in the patch. */
function withPatch(found: CommandReading, { input, words }: ShellCommand): CommandReading {
  const patch = input ?? words.find((word) => word.includes("*** Begin Patch"));
  const files = patch === undefined ? [] : patchFiles(patch).map(({ path }) => path);
  return files.length === 0 ? found : { ...found, targets: [...found.targets.filter((target) => target !== patch), ...files] };
}

function isLoud(activity: Activity | undefined): boolean {
  return activity === "test" || activity === "build" || activity === "lint" || activity === "run" || activity === "install";
}

type Check = NonNullable<ShellReading["check"]>;
const CHECKS: readonly Check["kind"][] = ["build", "lint", "test"];

/** A test says more than a check. With several runs on one line the code tells about all of them only when each would show in it. */
function joinedCheck(before: Check | undefined, next: Check): Check {
  if (before === undefined) return next;
  if (before.kind !== next.kind) return CHECKS.indexOf(before.kind) > CHECKS.indexOf(next.kind) ? before : next;
  return { kind: next.kind, runner: before.runner ?? next.runner, trusted: before.trusted && next.trusted };
}

/** Both lists, each name once, no longer than is worth keeping. */
function joined(list: readonly string[], items: readonly string[]): readonly string[] {
  const [only = ""] = items;
  if (items.length === 0 || (items.length === 1 && list.includes(only))) return list;
  if (items.length === 1 && list.length === 0 && only.length <= MAX_TARGET) return items;
  const found = [...list];
  for (const item of items) {
    const name = item.length > MAX_TARGET ? item.slice(0, MAX_TARGET) : item;
    if (found.length < MAX_TARGETS && !found.includes(name)) found.push(name);
  }
  return found;
}
