import type { Activity } from "@phasekit/core";
import { withoutEditText } from "../agents/swe-agent.ts";
import type { Draft } from "../draft.ts";
import { isScratchFile } from "../edits/file-kind.ts";
import { patchFiles } from "../edits/patch-files.ts";
import { classifyCommand } from "../programs/classify-command.ts";
import { baseName, type CommandReading, reading as readingOf } from "../programs/command-reading.ts";
import { parseShell, type ShellCommand } from "./parse-shell.ts";
import { unwrapCommand } from "./unwrap-command.ts";

/** The effect of a command line, part by part. */
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
  /** Files it puts back to a stored state; empty for the whole tree. */
  readonly restores: readonly string[] | undefined;
  readonly targets: readonly string[];
  readonly mutates: boolean;
  /** It runs a program of the project or an unknown one. */
  readonly program: boolean;
  /** That program is code of the agent's own, handed over as text: `python -c`, a heredoc. */
  readonly inline: boolean;
  /** The test or check it runs; `trusted` when the line's exit code is the runner's. */
  readonly check:
    | {
        readonly kind: "test" | "lint" | "build";
        readonly runner: string | undefined;
        readonly trusted: boolean;
        /** The part that hides its exit code: `| tail`. */
        readonly hiddenBy?: string;
      }
    | undefined;
  /** The line ends by printing the status of what ran before. */
  readonly printsStatus: boolean;
}

/** Scripts inside a line, and scripts inside those, may be this many times as long as the line in all. */
const REREAD = 4;
const MAX_REREAD = 65_536;
const MAX_TARGETS = 32;
const MAX_DEPTH = 4;
const MAX_TARGET = 300;
const MAX_PARTS = 256;
const NONE: readonly never[] = [];

// The first that occurs names the whole line. A test says more than the edit before it, an edit more than the `cat`
// behind it.
const WEIGHT: readonly Activity[] = [
  "finish",
  "test",
  "edit",
  "build",
  "lint",
  "install",
  "vcs-write",
  "run",
  "read",
  "search",
  "vcs-read",
  "wait",
];

const CREATORS = new Set(["tee", "touch", "create", "new-item"]);
const REMOVERS = new Set(["rm", "unlink", "shred", "trash", "del", "erase", "rd", "remove-item"]);

/**
 * Reads a command line: lists, pipes, subshells, heredocs and wrapped shells are taken apart, and each part is
 * classified.
 */
export function readShell(given: string): ShellReading {
  const reading: Draft<ShellReading> = {
    activity: "other",
    parts: NONE,
    reads: NONE,
    searches: NONE,
    edits: NONE,
    creates: NONE,
    deletes: NONE,
    restores: undefined,
    targets: NONE,
    mutates: false,
    program: false,
    inline: false,
    check: undefined,
    printsStatus: false,
  };
  const line = withoutEditText(given);
  const left = { characters: REREAD * Math.min(line.length, MAX_REREAD) };
  reading.printsStatus = collect(line, { reading, depth: 0, decides: true, substitutions: true, left });
  if (reading.parts.length > 1) reading.activity = mainActivity(reading);
  return reading;
}

/** Which of several parts says most about a line. */
function mainActivity({ parts, program, edits, creates }: ShellReading): Activity {
  const found = WEIGHT.find((known) => parts.includes(known)) ?? parts[0] ?? "run";
  // A line that builds or writes something only to run it is a run: `gcc repro.c && ./a.out`, a script in a heredoc.
  const prepares =
    found === "build" ||
    (found === "edit" && edits.every((file) => isScratchFile(file, { created: creates.includes(file) })));
  return prepares && program && parts.at(-1) === "run" ? "run" : found;
}

interface CommandCollector {
  readonly reading: Draft<ShellReading>;
  readonly depth: number;
  readonly decides: boolean;
  /** True if commands inside `$(…)` are read; not in a script whose substitutions were read with the line around it. */
  readonly substitutions: boolean;
  /** Characters of scripts that may still be read. */
  readonly left: { characters: number };
}

/**
 * Classifies the commands of a line, and those of the lines it hands to other shells. Says whether it prints a status.
 */
function collect(line: string, given: CommandCollector): boolean {
  const { reading, depth, decides, left } = given;
  const { commands, printsStatus } = parseShell(line, given);
  let before: Activity | undefined;
  // Something did run, even if it only printed or set something.
  if (commands.length > 0 && reading.parts.length === 0) reading.activity = "run";
  for (const [index, command] of commands.entries()) {
    const inner = unwrapCommand(command.words);
    const own = decides && command.decides;
    const script = typeof inner === "string" ? inner : command.input === undefined ? undefined : fedScript(command);
    if (script !== undefined) {
      left.characters -= script.length;
      if (depth < MAX_DEPTH && left.characters >= 0)
        collect(script, {
          reading,
          depth: depth + 1,
          decides: own && command.input === undefined,
          // Text the shell around it expanded is in the script as it was written, and was read with that shell's line.
          substitutions: given.substitutions && !command.expanded.some((word) => script.includes(word)),
          left,
        });
    } else if (typeof inner !== "string") {
      const found = readCommand(inner, command, before);
      const name = inner[0] ?? "";
      if (found.rewrites !== undefined)
        add(reading, readingOf("edit", found.rewrites), { name, writes: NONE, decides: own, hiddenBy: undefined });
      add(reading, found, {
        name,
        writes: command.writes,
        decides: own,
        hiddenBy: own ? undefined : hiderOf(commands[index + 1]),
      });
      before = found.activity;
    }
  }
  return printsStatus;
}

/** Reads one command of a line, with its input and where its output goes. */
function readCommand(words: readonly string[], command: ShellCommand, before: Activity | undefined): CommandReading {
  // `xargs` passes arguments: `| xargs cat` reads those files.
  const place =
    command.piped && /^(?:xargs|parallel)$/.test(command.words[0] ?? "")
      ? { piped: false, input: command.input }
      : command;
  const found = classifyCommand(words, place);
  const sent =
    command.piped || command.writes.length > 0 ? withOutput(found, { command, name: words[0] ?? "", before }) : found;
  return sent.activity === "edit" ? withPatch(sent, command) : sent;
}

function add(
  reading: Draft<ShellReading>,
  { activity, targets, mutates, program, inline, runner, restores }: CommandReading,
  {
    name,
    writes,
    decides,
    hiddenBy,
  }: {
    readonly name: string;
    readonly writes: readonly string[];
    readonly decides: boolean;
    readonly hiddenBy: string | undefined;
  },
): void {
  const { parts } = reading;
  if (activity === undefined || parts.length >= MAX_PARTS) return;
  if (parts.length === 0) reading.activity = activity;
  if (parts.at(-1) !== activity) reading.parts = [...parts, activity];
  if (mutates) reading.mutates = true;
  if (program) reading.program = true;
  if (inline === true) reading.inline = true;
  if (restores !== undefined) reading.restores = joined(reading.restores ?? NONE, restores);
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
      if (kind !== undefined)
        reading.check = joinedCheck(reading.check, {
          kind,
          runner,
          trusted: decides,
          ...(hiddenBy !== undefined && { hiddenBy }),
        });
    }
  }
}

/** The command behind a runner, as it hides the runner's exit code. */
function hiderOf(next: ShellCommand | undefined): string | undefined {
  const name = baseName(next?.words[0] ?? "");
  if (next === undefined || name === "" || name.length > 40) return undefined;
  if (next.piped) return `| ${name}`;
  return name === "true" || name === ":" ? `|| ${name}` : `; ${name}`;
}

/** A shell that reads its script from a heredoc runs that script. */
function fedScript({ input, words }: ShellCommand): string | undefined {
  return /^(?:ba|z|da|k)?sh$/.test(baseName(words[0] ?? "")) && words.slice(1).every((word) => word.startsWith("-"))
    ? input
    : undefined;
}

/** Text that is sent into a file is an edit; the log of a test or a build is not. */
function withOutput(
  found: CommandReading,
  {
    command,
    name,
    before,
  }: { readonly command: ShellCommand; readonly name: string; readonly before: Activity | undefined },
): CommandReading {
  const { activity } = found;
  const log = command.piped && isLoud(before);
  if (log && /^tee(?:-object)?$/i.test(baseName(name))) return { ...found, activity: undefined };
  if (
    command.writes.length === 0 ||
    log ||
    (activity !== undefined && activity !== "read" && activity !== "search" && activity !== "edit")
  )
    return found;
  return {
    ...found,
    activity: "edit",
    targets: activity === "edit" ? [...found.targets, ...command.writes] : command.writes,
    mutates: true,
  };
}

/** `apply_patch <<EOF` and `git apply <<EOF` name their files in the patch. */
function withPatch(found: CommandReading, { input, words }: ShellCommand): CommandReading {
  const patch = input ?? words.find((word) => word.includes("*** Begin Patch"));
  const files = patch === undefined ? [] : patchFiles(patch).map(({ path }) => path);
  return files.length === 0
    ? found
    : { ...found, targets: [...found.targets.filter((target) => target !== patch), ...files] };
}

function isLoud(activity: Activity | undefined): boolean {
  return (
    activity === "test" || activity === "build" || activity === "lint" || activity === "run" || activity === "install"
  );
}

type Check = NonNullable<ShellReading["check"]>;
const CHECKS: readonly Check["kind"][] = ["build", "lint", "test"];

/**
 * A test says more than a check. With several runs on one line the code tells about all of them only when each would
 * show in it.
 */
function joinedCheck(before: Check | undefined, next: Check): Check {
  if (before === undefined) return next;
  if (before.kind !== next.kind) return CHECKS.indexOf(before.kind) > CHECKS.indexOf(next.kind) ? before : next;
  const hiddenBy = before.hiddenBy ?? next.hiddenBy;
  return {
    kind: next.kind,
    runner: before.runner ?? next.runner,
    trusted: before.trusted && next.trusted,
    ...(hiddenBy !== undefined && { hiddenBy }),
  };
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
