import { hashText, type Interpreter, type Meaning, nameTableInterpreter, type ToolResult } from "@phasekit/core";
import type { CodingNotes } from "./coding-notes.ts";
import { printedStatus, readResult, type ResultText } from "./exit-code.ts";
import { isScratchFile, isTestFile } from "./file-kind.ts";
import { readCode } from "./read-code.ts";
import { readShell, type ShellReading } from "./shell/read-shell.ts";
import { readTestOutput } from "./test-output/read-test-output.ts";
import { commandOf, editedFiles, readInput, textOf, type ToolInput } from "./tool-input.ts";
import { findWeakenedTests } from "./weakened-tests.ts";

/** Tools by name: what each does. The same shape as core's `nameTableInterpreter` takes. */
export type ToolTable = NonNullable<Parameters<typeof nameTableInterpreter>[0]>;

export interface CodingInterpreterOptions {
  /** Tools of your own; they come before the known ones. A tool that is "run" and has a command is read as a shell. */
  readonly tools?: ToolTable;
  /** Command lines whose reading is kept; repeated commands then cost next to nothing. @default 512 */
  readonly cacheSize?: number;
}

/**
 * Tells what a coding agent's tool call does: the tools of the known agents by name, shell commands by parsing them,
 * test runs by their output and exit code.
 *
 * @example
 * createRun({ graph: codingPhases, interpret: codingInterpreter({ tools: { deploy: "run" } }), policies: [phaseTracker()] })
 * @throws INVALID_OPTION when a tool has no activity
 */
export function codingInterpreter({ tools = {}, cacheSize = 512 }: CodingInterpreterOptions = {}): Interpreter {
  const names = Object.keys(tools).length === 0 ? (knownTools ??= nameTableInterpreter(MORE_TOOLS)) : nameTableInterpreter({ ...MORE_TOOLS, ...tools });
  const readCached = cached(readShell, cacheSize);
  return {
    name: "coding",
    version: "1",
    interpret: (call, result) => {
      const named = names.interpret(call) ?? {};
      const input = readInput(call.input);
      const { activity } = named;
      if (activity === "run" || (activity === "other" && SHELL_NAME.test(call.tool))) {
        const code = CODE_NAME.test(call.tool) ? (typeof input === "string" ? input : textOf(input, "code", "command", "input")) : undefined;
        const line = code === undefined ? commandOf(input) : readCode(code).shell;
        if (line !== undefined) return fromShell(call.tool, readCached(line), { line, result });
        if (code !== undefined) return fromCode(readCode(code), result);
      }
      if (activity === "test") return withTests(named, { result, runner: undefined, trusted: true });
      if (activity === "edit") return fromEdit(named, input, result);
      if (activity === "plan") return fromPlan(named, input);
      return named;
    },
  };
}

// Names the agents use that core's table leaves to others.
const MORE_TOOLS: ToolTable = {
  stop_bash: "wait",
  kill_shell: "wait",
  killshell: "wait",
  taskstop: "wait",
  str_replace_editor_view: "read",
  skill: "read",
  tasklist: "read",
  taskget: "read",
};

// The table is the same for everybody and takes longer to make than a run of ten calls takes to read.
let knownTools: Interpreter | undefined;

const SHELL_NAME = /(?:^|[_.\-/])(?:bash|shell|sh|zsh|terminal|console|cmd|exec|command|powershell)(?:[_.-]|$)|terminal/i;
const CODE_NAME = /python|ipython|jupyter|code_interpreter|repl|notebook_cell/i;
const POLLS = /^(?:write_stdin|write_bash|write_powershell)$/;

function fromShell(tool: string, reading: ShellReading, { line, result }: { readonly line: string; readonly result: ToolResult | undefined }): Meaning {
  if (line.trim() === "") return { activity: "wait", mutates: false, notes: { shell: true } };
  // Keys sent to a program that already runs are no command line.
  if (POLLS.test(tool)) return { activity: "run", notes: { shell: true } };
  const { activity, parts, targets, edits, reads, check, program } = reading;
  const several = parts.length > 1;
  const read = result === undefined ? undefined : outcomeOf(reading, result);
  const mutates = reading.mutates ? read?.failed !== true || several : LOOKING.has(activity) ? false : undefined;
  const deleted = reading.deletes.filter(isTestFile);
  const notes: CodingNotes = {
    shell: true,
    ...(program && { program }),
    ...(several && reads.length > 0 && { reads }),
    ...(several && edits.length > 0 && { edits }),
    ...(edits.length > 0 && edits.every((file) => isScratchFile(file, { created: reading.creates.includes(file) })) && { scratch: true }),
    ...(read?.exitCode !== undefined && { exitCode: read.exitCode }),
    ...(read?.failed === true && { failed: true }),
    ...(deleted.length > 0 && { weakens: deleted.map((file) => `${file}: deleted`) }),
  };
  const meaning: Meaning = { activity, ...(several && { parts: [...parts] }), ...(targets.length > 0 && { targets: [...targets] }), ...(mutates !== undefined && { mutates }), notes: notes };
  if (check === undefined || read === undefined || result === undefined || result.outcome === "denied") return meaning;
  const { conflict, ...tests } = readTestOutput({ output: read.text, kind: check.kind === "test" ? "test" : "check", runner: check.runner, exitCode: read.exitCode, trusted: check.trusted, failed: result.outcome === "error" || (read.exitCode === undefined && read.failed) });
  if (check.kind === "test") return { ...meaning, tests, notes: { ...notes, ...(conflict !== undefined && { conflict }) } };
  const { verdict, runner, failed } = tests;
  return { ...meaning, notes: { ...notes, check: { verdict, ...(runner !== undefined && { runner }), ...(failed !== undefined && { failed }) }, ...(conflict !== undefined && { conflict }) } };
}

const LOOKING = new Set<string>(["read", "search", "vcs-read", "wait"]);

function outcomeOf({ activity, printsStatus }: ShellReading, result: ToolResult): ResultText {
  const { text, exitCode: told, failed: said } = readResult(result);
  const exitCode = printsStatus ? printedStatus(text) : told;
  // grep and diff say "nothing found" and "they differ" with 1: an answer, not a failure.
  const answer = exitCode === 1 && LOOKING.has(activity);
  const failed = exitCode === undefined ? said || result.outcome === "error" : exitCode !== 0 && exitCode !== -1 && !answer;
  return { text, exitCode, failed };
}

function fromCode(code: ReturnType<typeof readCode>, result: ToolResult | undefined): Meaning {
  const { activity, targets } = code;
  const mutates = activity === "edit" ? result?.outcome !== "error" : LOOKING.has(activity) ? false : undefined;
  const scratch = activity === "edit" && targets.length > 0 && targets.every((file) => isScratchFile(file, { created: code.creates === true }));
  return { activity, ...(targets.length > 0 && { targets: [...targets] }), ...(mutates !== undefined && { mutates }), notes: { ...(activity === "run" && { program: true }), ...(scratch && { scratch }), ...(result?.outcome === "error" && { failed: true }) } };
}

function withTests(named: Meaning, { result, runner, trusted }: { readonly result: ToolResult | undefined; readonly runner: string | undefined; readonly trusted: boolean }): Meaning {
  if (result === undefined || result.outcome === "denied") return named;
  const { text, exitCode, failed } = readResult(result);
  const { conflict, ...tests } = readTestOutput({ output: text, runner, exitCode, trusted, failed: failed || result.outcome === "error" });
  return { ...named, tests, ...(conflict !== undefined && { notes: { conflict } }) };
}

// Editors answer an edit they could not make with a text, and some hosts call that a success.
const NOT_MADE = /^(?:\s*<\w+>)?\s*(?:ERROR|Error|error)\b[:\s]|No replacement was performed|String to replace not found|String not found|old_str(?:ing)? .*did not (?:appear|match)|No changes? (?:were )?made|Failed to (?:apply|edit|replace|find)|Could not find (?:the )?(?:exact )?(?:text|string)|has not been read yet/;

function fromEdit(named: Meaning, input: ToolInput, result: ToolResult | undefined): Meaning {
  const files = editedFiles(input, named.targets ?? []);
  const targets = named.targets ?? files.map(({ path }) => path);
  const failed = result !== undefined && (result.outcome !== "ok" || NOT_MADE.test(readResult(result).text.slice(0, 600)));
  const added = new Set(files.filter(({ how }) => how === "added").map(({ path }) => path));
  const scratch = targets.length > 0 && targets.every((file) => isScratchFile(file, { created: added.has(file) }));
  const weakens = findWeakenedTests(files);
  const notes: CodingNotes = { ...(failed && { failed }), ...(scratch && { scratch }), ...(weakens.length > 0 && { weakens }) };
  return { ...named, ...(targets.length > 0 && { targets: [...targets] }), mutates: !failed, ...(Object.keys(notes).length > 0 && { notes: notes }) };
}

/** A list of steps: which they are, and how many are not done. */
function fromPlan(named: Meaning, input: ToolInput): Meaning {
  const steps = typeof input === "object" ? [input["todos"], input["plan"], input["task_list"], input["items"], input["tasks"]].find(Array.isArray) : undefined;
  const text = textOf(input, "plan", "todos", "items", "response", "task_progress");
  if (steps === undefined) return text === undefined ? named : { ...named, notes: { plan: hashText(text.replace(/\[[ x-]\]/gi, "")) } };
  const read = steps.slice(0, 256).map((step: unknown) => readInput(step));
  const titles = read.map((step) => (typeof step === "string" ? step : (textOf(step, "content", "step", "text", "title", "description", "task") ?? ""))).join("\n");
  const open = read.filter((step) => !/^(?:completed?|done|cancell?ed|skipped)$/i.test(textOf(step, "status", "state") ?? "")).length;
  return { ...named, notes: { plan: hashText(titles), openTodos: open } };
}

/** Keeps the answers for the most recent inputs. */
function cached<T>(read: (key: string) => T, size: number): (key: string) => T {
  const answers = new Map<string, T>();
  return (key) => {
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = read(key);
    // Long lines are rarely repeated, and would fill the memory.
    if (key.length <= MAX_CACHED) answers.set(key, answer);
    if (answers.size > size) {
      const [oldest] = answers.keys();
      if (oldest !== undefined) answers.delete(oldest);
    }
    return answer;
  };
}

const MAX_CACHED = 2048;
