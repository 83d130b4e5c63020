import type { Activity } from "@phasekit/core";
import { withoutEditText } from "../agents/swe-agent.ts";
import type { Draft } from "../draft.ts";
import { isScratchFile } from "@phasekit/core/account";
import { isTemporary } from "../edits/temporary.ts";
import { patchFiles } from "../edits/patch-files.ts";
import { classifyCommand } from "../programs/classify-command.ts";
import { testFilterOf } from "../programs/test-filter.ts";
import { baseName, type CommandReading, reading as readingOf } from "../programs/command-reading.ts";
import { parseShell, type ShellCommand, type ToldStatus } from "./parse-shell.ts";
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
  readonly stashes: readonly ("push" | "pop")[];
  readonly targets: readonly string[];
  readonly mutates: boolean;
  /** It runs a program of the project or an unknown one. */
  readonly program: boolean;
  /** That program is code of the agent's own, handed over as text: `python -c`, a heredoc. */
  readonly inline: boolean;
  /** The test or check it runs; `trusted` when the line's exit code is the runner's. */
  readonly check: ShellCheck | undefined;
  /** It runs the hooks of a repository; `trusted` when the line's exit code is that of the commit or push. */
  readonly hooks: { readonly trusted: boolean } | undefined;
  /** It asks for the state of CI. */
  readonly ci: { readonly how: "watch" | "list" | "start"; readonly trusted: boolean } | undefined;
  /** Every change it makes follows a rule: a formatter, a linter that fixes what it finds. */
  readonly formats: boolean;
  /** Its edits only take away what a search finds. */
  readonly tidies: boolean;
  /** Whatever it runs only prepares something: a folder, a name, rights. */
  readonly preparesOnly: boolean;
  /** Files and folders its tests, checks and programs name, or the project as a whole. */
  readonly reaches: "project" | readonly string[];
  /** The line ends by printing the status of what ran before. */
  readonly printsStatus: boolean;
  /** Lines it prints itself. */
  readonly echoes: readonly string[];
}

/** A test or check of a command line. */
export interface ShellCheck {
  readonly kind: "test" | "lint" | "build";
  /** What it looks at, where the kind says less. */
  readonly what?: "types" | "parse";
  readonly runner: string | undefined;
  readonly trusted: boolean;
  /** The part that hides its exit code: `| tail`. */
  readonly hiddenBy?: string;
  /** Words the line prints to tell how it went. */
  readonly told?: ToldStatus;
  /** True if it ends with 0 and prints what is wrong. */
  readonly prints?: true;
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
  "plan",
  "run",
  "read",
  "search",
  "vcs-read",
  "wait",
];

const PREPARES: ReadonlySet<string> = new Set(["mkdir", "md", "mktemp", "chmod", "chown"]);
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
    stashes: NONE,
    targets: NONE,
    mutates: false,
    program: false,
    inline: false,
    check: undefined,
    hooks: undefined,
    ci: undefined,
    formats: false,
    tidies: false,
    preparesOnly: true,
    reaches: NONE,
    printsStatus: false,
    echoes: NONE,
  };
  const line = withoutEditText(given);
  const left = { characters: REREAD * Math.min(line.length, MAX_REREAD) };
  reading.printsStatus = collect(line, { reading, depth: 0, decides: true, substitutions: true, left });
  if (reading.parts.length > 1) reading.activity = mainActivity(reading);
  return reading;
}

/** Which of several parts says most about a line. */
function mainActivity({ parts, program, edits, creates, preparesOnly }: ShellReading): Activity {
  const found = WEIGHT.find((known) => parts.includes(known)) ?? parts[0] ?? "run";
  // Making a folder or a name says less than whatever comes with it.
  if (found === "run" && preparesOnly)
    return WEIGHT.find((known) => known !== "run" && known !== "wait" && parts.includes(known)) ?? found;
  // A line that builds or writes something only to run it is a run: `gcc repro.c && ./a.out`, a script in a heredoc.
  const scratch =
    found === "edit" &&
    edits.every((file) => isTemporary(file) || isScratchFile(file, { created: creates.includes(file) }));
  const checked = scratch ? CHECKS.findLast((known) => parts.includes(known)) : undefined;
  if (checked !== undefined) return checked;
  const prepares = found === "build" || scratch;
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
      if (name === "echo") reading.echoes = joined(reading.echoes, [inner.slice(1).join(" ").trim()]);
      const place = { name, decides: own, hiddenBy: own ? undefined : hiderOf(commands[index + 1]) };
      if (found.rewrites !== undefined)
        add(reading, readingOf("edit", found.rewrites), { ...place, writes: NONE, hiddenBy: undefined });
      add(reading, found, { ...place, writes: command.writes, told: decides ? command.told : undefined });
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
  const filter = sent.activity === "test" ? testFilterOf(words) : undefined;
  if (filter !== undefined) return { ...sent, filter };
  return sent.activity === "edit" ? withPatch(sent, command) : sent;
}

/** The place of a command in its line. */
interface AddedPlace {
  readonly name: string;
  readonly writes: readonly string[];
  readonly decides: boolean;
  readonly hiddenBy: string | undefined;
  readonly told?: ToldStatus | undefined;
}

function add(reading: Draft<ShellReading>, found: CommandReading, place: AddedPlace): void {
  const { activity, targets, mutates, program, inline, restores, stashes } = found;
  const { name, writes, decides } = place;
  const { parts } = reading;
  if (activity === undefined || parts.length >= MAX_PARTS) return;
  if (parts.length === 0) reading.activity = activity;
  if (parts.at(-1) !== activity) reading.parts = [...parts, activity];
  if (mutates) reading.mutates = true;
  if (program) reading.program = true;
  if (activity === "run" && !PREPARES.has(baseName(name))) reading.preparesOnly = false;
  if (inline === true) reading.inline = true;
  if (stashes !== undefined) reading.stashes = [...reading.stashes, ...stashes];
  if (restores !== undefined) reading.restores = joined(reading.restores ?? NONE, restores);
  reading.targets = joined(reading.targets, targets);
  if (found.hooks === true) reading.hooks = { trusted: decides && reading.hooks?.trusted !== false };
  if (found.ci !== undefined) reading.ci = { how: found.ci, trusted: decides };
  addReach(reading, found);
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
      reading.tidies = found.tidies === true && (reading.tidies || !parts.includes("edit"));
      reading.formats = found.formats === true && (reading.formats || !parts.includes("edit"));
      if (found.checks === true) reading.check = joinedCheck(reading.check, checkIn(found, "lint", place));
      return;
    }
    default: {
      const kind = CHECKS.find((known) => known === activity);
      if (kind !== undefined) reading.check = joinedCheck(reading.check, checkIn(found, kind, place));
    }
  }
}

function checkIn(
  { runner, kind: what, prints }: CommandReading,
  kind: ShellCheck["kind"],
  { decides, hiddenBy, told }: AddedPlace,
): ShellCheck {
  return {
    kind,
    runner,
    trusted: decides,
    ...(what !== undefined && { what }),
    ...(hiddenBy !== undefined && { hiddenBy }),
    ...(told !== undefined && !decides && { told }),
    ...(prints === true && { prints }),
  };
}

/** Adds what a test, a check or a program reaches: what it names, or the project. */
function addReach(reading: Draft<ShellReading>, found: CommandReading): void {
  const { activity, targets, program, whole, inline, filter } = found;
  if (reading.reaches === "project") return;
  if (filter !== undefined) {
    reading.reaches = joined(reading.reaches, targets.length > 0 ? targets : [filter]);
    return;
  }
  const checks = CHECKS.some((known) => known === activity);
  if (!checks && !program) return;
  if (whole === true || (checks && targets.length === 0)) reading.reaches = "project";
  else if (checks || targets.length > 0 || inline !== true) reading.reaches = joined(reading.reaches, targets);
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
  // What was looked up is laid aside, to be read in the next command.
  if (command.writes.length > 0 && looks(activity, command, before) && command.writes.every(isTemporary)) return found;
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

/** True if a command passes on what was looked up: `cat a`, `gh api … | base64 -d`; the text of a heredoc is new. */
function looks(activity: Activity | undefined, { piped, input }: ShellCommand, before: Activity | undefined): boolean {
  if (input !== undefined) return false;
  return activity === undefined ? piped && LOOKS.has(before ?? "") : LOOKS.has(activity);
}

const LOOKS: ReadonlySet<string> = new Set(["read", "search", "vcs-read"]);

function isLoud(activity: Activity | undefined): boolean {
  return (
    activity === "test" || activity === "build" || activity === "lint" || activity === "run" || activity === "install"
  );
}

/** Kinds of checks, the one that says most last. */
const CHECKS: readonly ShellCheck["kind"][] = ["lint", "build", "test"];

/**
 * A test says more than a build, and a build more than a linter. With several runs on one line the code tells about
 * all of them only when each would show in it.
 */
function joinedCheck(before: ShellCheck | undefined, next: ShellCheck): ShellCheck {
  if (before === undefined) return next;
  if (before.kind !== next.kind) return CHECKS.indexOf(before.kind) > CHECKS.indexOf(next.kind) ? before : next;
  const hiddenBy = before.hiddenBy ?? next.hiddenBy;
  const what = before.what === next.what ? next.what : undefined;
  return {
    kind: next.kind,
    runner: before.runner ?? next.runner,
    trusted: before.trusted && next.trusted,
    ...(what !== undefined && { what }),
    ...(hiddenBy !== undefined && { hiddenBy }),
    // With several runs the words tell about the last one only.
    ...(before.prints === true && next.prints === true && { prints: true as const }),
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
