import { type Interpreter, nameTableInterpreter, type ToolResult } from "@phasekit/core";
import { fromCode } from "./meaning-of-code.ts";
import { fromEdit } from "./meaning-of-edit.ts";
import { fromPlan } from "./meaning-of-plan.ts";
import { fromShell } from "./meaning-of-shell.ts";
import { fromTests } from "./meaning-of-tests.ts";
import { readCode } from "./read-code.ts";
import { readShell, type ShellReading } from "./shell/read-shell.ts";
import { commandOf, firstText, readInput } from "./tool-input.ts";

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
export function codingInterpreter({ tools = NO_TOOLS, cacheSize = 512 }: CodingInterpreterOptions = {}): Interpreter {
  const { names, kindOf } = tools === NO_TOOLS ? (knownTools ??= readTable(tools)) : readTable(tools);
  const readLine = cached(readShell, { size: cacheSize, longest: MAX_LINE });
  return {
    name: "coding",
    version: "2",
    interpret: (call, result) => {
      const kind = kindOf(call.tool);
      return (kind === "named" ? undefined : fromCommand(call, result, { kind, readLine })) ?? fromName(call, result, names);
    },
  };
}

type Call = Parameters<Interpreter["interpret"]>[0];
type Answer = ReturnType<Interpreter["interpret"]>;

// Names the agents use that core's table leaves to others.
const MORE_TOOLS: ToolTable = {
  stop_bash: "wait",
  kill_shell: "wait",
  killshell: "wait",
  taskstop: "wait",
  execute_code: "run",
  run_code: "run",
  write_fix: "edit",
  write_patch: "edit",
  str_replace_editor_view: "read",
  skill: "read",
  tasklist: "read",
  taskget: "read",
};

const NO_TOOLS: ToolTable = {};

/** What is known about tools by their names. */
interface KnownTools {
  readonly names: Interpreter;
  readonly kindOf: (tool: string) => ToolKind;
}

// Without tools of one's own it is the same for everybody, and takes longer to make than a run of ten calls takes to read.
let knownTools: KnownTools | undefined;

function readTable(tools: ToolTable): KnownTools {
  const names = nameTableInterpreter({ ...MORE_TOOLS, ...tools });
  return { names, kindOf: cached((tool) => toolKind(tool, { names, named: Object.hasOwn(tools, tool) }), { size: MAX_TOOLS, longest: MAX_TOOL_NAME }) };
}

const SHELL_NAME = /(?:^|[_.\-/])(?:bash|shell|sh|zsh|terminal|console|cmd|exec|command|powershell)(?:[_.-]|$)|terminal/i;
const CODE_NAME = /python|jupyter|code_interpreter|repl|notebook_cell|execute_code|run_code/i;
const SENDS_KEYS = /^(?:write_stdin|write_bash|write_powershell)$/;

/** What says what a call does: the tool's name, the command line or code it is given, or nothing because it sends keys to a program. */
type ToolKind = "named" | "shell" | "code" | "keys";

/** A tool the user has named is what they say. */
function toolKind(tool: string, { names, named }: { readonly names: Interpreter; readonly named: boolean }): ToolKind {
  const activity = names.interpret({ tool, input: undefined })?.activity;
  if (activity !== "run" && (activity !== "other" || named || !SHELL_NAME.test(tool))) return "named";
  return CODE_NAME.test(tool) ? "code" : SENDS_KEYS.test(tool) ? "keys" : "shell";
}

const CODES = ["code", "command", "input"];

/** A shell's command line, or code; `undefined` when the call brings neither. */
function fromCommand({ input }: Call, result: ToolResult | undefined, { kind, readLine }: { readonly kind: ToolKind; readonly readLine: (line: string) => ShellReading }): Answer {
  const given = readInput(input);
  const code = kind !== "code" ? undefined : typeof given === "string" ? given : firstText(given, CODES);
  const read = code === undefined ? undefined : readCode(code);
  const line = read === undefined ? commandOf(given) : read.shell;
  if (line === undefined) return read === undefined ? undefined : fromCode(read, result);
  if (line.trim() === "") return { activity: "wait", mutates: false, notes: { shell: true } };
  // Keys sent to a program that already runs are no command line.
  return kind === "keys" ? { activity: "run", notes: { shell: true } } : fromShell(readLine(line), result);
}

function fromName({ tool, input }: Call, result: ToolResult | undefined, names: Interpreter): Answer {
  // Read once: the table would parse the text again.
  const given = readInput(input);
  const named = names.interpret({ tool, input: given }) ?? {};
  switch (named.activity) {
    case "test":
      return fromTests(named, result);
    case "edit":
      return fromEdit(named, given, result);
    case "plan":
      return fromPlan(named, given);
    default:
      return named;
  }
}

// Long lines are rarely repeated, and would fill the memory.
const MAX_LINE = 2048;
const MAX_TOOLS = 256;
const MAX_TOOL_NAME = 200;

/** Keeps the answers for the most recent inputs. */
function cached<T>(read: (key: string) => T, { size, longest }: { readonly size: number; readonly longest: number }): (key: string) => T {
  const answers = new Map<string, T>();
  return (key) => {
    if (key.length > longest) return read(key);
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = read(key);
    answers.set(key, answer);
    if (answers.size > size) {
      const [oldest] = answers.keys();
      if (oldest !== undefined) answers.delete(oldest);
    }
    return answer;
  };
}
