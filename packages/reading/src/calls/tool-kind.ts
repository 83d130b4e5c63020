import { type Interpreter, nameTableInterpreter, type ToolTable } from "@phasekit/core";
import { tableOf } from "@phasekit/core/adapter";
import { cached } from "./cached.ts";
import { activityOfName } from "./name-verbs.ts";

/**
 * The part of a call that says what it does: the tool's name, its command line or its code. Keys say nothing, nor does
 * an unknown name.
 */
type ToolKind = "named" | "shell" | "code" | "keys" | "unknown";

/** A tool, as far as its name tells. */
export interface KnownTool {
  readonly kind: ToolKind;
  /** Reads the meaning of a call from its name and arguments. */
  readonly names: Interpreter;
  /** The name under which `names` knows a tool of this activity. */
  readonly name: string;
}

/** Names the agents use that core's table leaves to others. */
const MORE_TOOLS: ToolTable = {
  stop_bash: "wait",
  kill_shell: "wait",
  killshell: "wait",
  taskstop: "wait",
  execute_code: "run",
  run_code: "run",
  str_replace_editor_view: "read",
  skill: "read",
  tasklist: "read",
  taskget: "read",
};

/** A tool of core's table for each activity that a name can show; it finds targets among the arguments. */
const LIKE: Readonly<Record<string, string>> = tableOf({
  read: "read_file",
  search: "grep",
  edit: "edit_file",
  run: "bash",
  test: "run_tests",
  lint: "get_errors",
  plan: "update_plan",
  ask: "ask_user",
  wait: "sleep",
});

const SHELL_NAME =
  /(?:^|[_.\-/])(?:bash|shell|sh|zsh|terminal|console|cmd|exec|command|powershell)(?:[_.-]|$)|terminal/i;
const CODE_NAME = /python|jupyter|code_interpreter|repl|notebook_cell|execute_code|run_code/i;
const SENDS_KEYS = /^(?:write_stdin|write_bash|write_powershell)$/;
const MAX_TOOLS = 256;
const MAX_TOOL_NAME = 200;
const NO_TOOLS: ToolTable = {};

// Without tools of one's own it is the same for every run, and takes longer to make than ten calls take to read.
let known: ((tool: string) => KnownTool) | undefined;
let plain: Interpreter | undefined;

/**
 * Creates a lookup of tools by name: the user's table, the tools of the known agents, then the verb in the name.
 * @throws INVALID_OPTION when a tool of the table has no activity
 */
export function createToolLookup(tools: ToolTable = NO_TOOLS): (tool: string) => KnownTool {
  return Object.keys(tools).length === 0 ? (known ??= lookup(tools)) : lookup(tools);
}

function lookup(tools: ToolTable): (tool: string) => KnownTool {
  const names = nameTableInterpreter({ ...MORE_TOOLS, ...tools });
  return cached((tool) => findTool(tool, { names, named: Object.hasOwn(tools, tool) }), {
    size: MAX_TOOLS,
    longest: MAX_TOOL_NAME,
  });
}

function findTool(tool: string, { names, named }: { readonly names: Interpreter; readonly named: boolean }): KnownTool {
  const activity = names.interpret({ tool, input: undefined })?.activity;
  if (activity !== undefined && activity !== "other")
    return { kind: activity === "run" ? kindOfRun(tool) : "named", names, name: tool };
  // A tool the user has named is what they say.
  if (named) return { kind: "named", names, name: tool };
  if (SHELL_NAME.test(tool)) return { kind: kindOfRun(tool), names, name: tool };
  const like = LIKE[activityOfName(tool) ?? ""];
  if (like === undefined) return { kind: "unknown", names, name: tool };
  return { kind: like === "bash" ? kindOfRun(tool) : "named", names: (plain ??= nameTableInterpreter()), name: like };
}

function kindOfRun(tool: string): ToolKind {
  return CODE_NAME.test(tool) ? "code" : SENDS_KEYS.test(tool) ? "keys" : "shell";
}
