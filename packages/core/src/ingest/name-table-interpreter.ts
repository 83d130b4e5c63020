import { assertNames } from "../text/assert-numbers.ts";
import { defined } from "../text/defined.ts";
import { invalidOption } from "../errors.ts";
import type { Interpreter } from "./interpreter.ts";
import type { Activity, Meaning } from "../events/meaning.ts";
import { hashText } from "../text/hash.ts";
import { toJson } from "../text/json.ts";
import { isObject } from "../text/loose-object.ts";
import { ownValue } from "../text/own-value.ts";

/** The meaning of one tool. */
export interface ToolTableEntry {
  readonly activity: Activity;
  /** True if a call changes something outside the agent. @default by activity: true for edits, false for reading */
  readonly mutates?: boolean;
  /** For a tool that does several things: its activity by the value of the argument `command`. */
  readonly commands?: Readonly<Record<string, Activity>>;
  /** False for a call that cannot be taken back, such as a refund or a sent mail. @default unknown */
  readonly undo?: boolean;
}

/** Tools by name: what each does. */
export type ToolTable = Readonly<Record<string, Activity | ToolTableEntry>>;

/**
 * Tells what a tool does from its name alone, for the tools of the common agents; a tool it does not know is "other".
 * A shell is "run": what its command does is for an interpreter that reads commands. Names are taken as they are, then
 * without the prefix of an MCP server or `functions.`, and `ReadFile`, `read-file` and `read_file` are one name.
 *
 * @param table Tools of your own; they come before the known ones. Throws `INVALID_OPTION` when one has no activity.
 * @example
 * createRun({ interpret: nameTableInterpreter({ deploy: "run", lookup_order: "read" }) })
 */
export function nameTableInterpreter(table: ToolTable = {}): Interpreter {
  const find = createLookup(table);
  return {
    name: "name-table",
    version: "1",
    interpret: ({ tool, input }) => {
      const rule = find(tool);
      if (rule === undefined) return { activity: "other" };
      try {
        return readMeaning(rule, input);
      } catch {
        // A getter or proxy in the host's own arguments may throw; the name still says what the tool does.
        return toMeaning(rule, rule.activity, []);
      }
    },
  };
}

/**
 * Says what tools of your own do, beside an interpreter for all others: `"read"` and `"search"` look, `"edit"` changes,
 * `"act"` does something in the world. What it says wins; about other tools it says nothing.
 *
 * @example
 * const tools = describeTools({ crm_lookup: "read", refund: { activity: "act", undo: false } });
 * createRun({ interpret: [tools, reading()] });
 * @throws INVALID_OPTION when a tool has no activity, or a member that no tool has
 */
export function describeTools(table: ToolTable): Interpreter {
  const find = createLookup(table, () => undefined);
  return {
    name: "described-tools",
    version: "1",
    interpret: ({ tool, input }) => {
      const rule = find(tool);
      if (rule === undefined) return undefined;
      const meaning = readMeaning(rule, input);
      const effect = EFFECTS.get(meaning.activity);
      return {
        ...meaning,
        ...defined({ effect }),
        ...(rule.undo !== undefined && { undo: rule.undo, fingerprint: identityOf(tool, input) }),
      };
    },
  };
}

// One line for each agent; a name is listed where it first occurs, and spellings that differ in case or separators only
// once. What is not here is "other" anyway, so tools such as `think` or `save_memory` need no entry, nor do those that
// only read a list of todos.
const TOOL_NAMES: Readonly<Record<string, string>> = {
  read:
    "Read NotebookRead WebFetch ReadMcpResourceTool ListMcpResourcesTool LSP " + // Claude Code
    "read_file view_image read_mcp_resource list_mcp_resources list_mcp_resource_templates " + // Codex
    "read_many_files get_internal_docs " + // Gemini CLI
    "web_read browse " + // OpenHands
    "open goto scroll_up scroll_down filemap " + // SWE-agent
    "list_code_definition_names access_mcp_resource load_mcp_documentation fetch_instructions " + // Cline, Roo
    "/add /read-only /web " + // aider
    "requests_get web_browser wikipedia wikipedia_api arxiv sql_db_schema sql_db_list_tables " + // LangChain
    "view fetch_copilot_cli_documentation fetch_webpage list_code_usages test_search " + // Copilot
    "fetch fetch_url read_text_file read_media_file read_multiple_files get_file_info get_file_contents " + // MCP
    "web_browser_go open_file view_file cat", // others
  search:
    "Grep Glob LS WebSearch ToolSearch " + // Claude Code
    "list_dir grep_files " + // Codex
    "search_file_content grep_search google_web_search list_directory " + // Gemini CLI
    "search_file search_dir find_file " + // SWE-agent
    "search_files list_files codebase_search " + // Cline, Roo
    "/ls " + // aider
    // LangChain
    "file_search tavily_search tavily_search_results_json duckduckgo_search duckduckgo_results_json " +
    "google_search google_serper brave_search bing_search " +
    "search find_files " + // Attocode
    "semantic_search " + // Copilot
    "list codesearch " + // opencode
    "list_directory_with_sizes directory_tree search_code " + // MCP servers
    "find ripgrep", // others
  edit:
    "Edit MultiEdit Write NotebookEdit " + // Claude Code
    "apply_patch " + // Codex
    "write_file replace " + // Gemini CLI
    "edit_file " + // OpenHands, Attocode
    "create insert " + // SWE-agent
    // Cline, Roo
    "write_to_file replace_in_file apply_diff insert_content search_and_replace search_replace new_rule delete_file " +
    "edit_block replace_lines " + // aider
    "copy_file move_file file_delete " + // LangChain
    // Copilot
    "create_file insert_edit_into_file replace_string_in_file multi_replace_string_in_file edit_notebook_file " +
    "patch " + // opencode
    "create_directory edit_notebook rename_file str_replace", // others
  run:
    "Bash PowerShell " + // Claude Code
    "shell local_shell shell_command container.exec exec_command unified_exec write_stdin js_repl " + // Codex
    "run_shell_command " + // Gemini CLI
    "execute_bash execute_ipython_cell run_ipython run browser browse_interactive " + // OpenHands
    "execute_command browser_action " + // Cline, Roo
    "/run /git " + // aider
    "terminal python_repl python_repl_ast sql_db_query execute " + // LangChain
    "write_bash write_powershell run_in_terminal " + // Copilot
    "run_terminal_cmd run_command python code_interpreter", // others
  test: "/test run_tests",
  lint: "/lint get_errors read_lints",
  "vcs-read": "/diff git_status git_diff git_diff_staged git_diff_unstaged git_log git_show get_changed_files",
  "vcs-write":
    "EnterWorktree ExitWorktree " + // Claude Code
    "create_pr create_mr create_bitbucket_pr " + // OpenHands
    "/commit /undo " + // aider
    "git_add git_commit git_reset git_checkout git_create_branch git_init git_push git_pull git_fetch " + // MCP servers
    "create_branch push_files create_or_update_file create_pull_request merge_pull_request",
  plan:
    "TodoWrite EnterPlanMode ExitPlanMode TaskCreate TaskUpdate " + // Claude Code
    "update_plan " + // Codex
    "write_todos update_topic tracker_create_task tracker_update_task tracker_add_dependency " + // Gemini CLI
    "task_tracker task_tracking " + // OpenHands
    "plan_mode_respond update_todo_list focus_chain " + // Cline, Roo
    "/architect " + // aider
    "update_todo manage_todo_list " + // Copilot
    "plan_enter plan_exit " + // opencode
    "submit_plan create_plan", // others
  ask:
    "AskUserQuestion " + // Claude Code
    "request_user_input " + // Codex
    "ask_user " + // Gemini CLI
    "ask_followup_question " + // Cline, Roo
    "human " + // LangChain
    "question " + // opencode
    "ask_question ask_human ask_for_help", // others
  wait:
    "BashOutput TaskOutput Monitor " + // Claude Code
    "wait wait_agent " + // Codex
    "read_command_output " + // Roo
    "read_bash read_powershell get_terminal_output " + // Copilot
    "sleep", // others
  finish:
    "complete_task " + // Gemini CLI
    "finish " + // OpenHands
    "submit " + // SWE-agent
    "attempt_completion " + // Cline, Roo
    "task_complete " + // Copilot
    "final_answer", // others
  delegate:
    "Task Agent " + // Claude Code, opencode
    "spawn_agent send_input " + // Codex
    "delegate_to_agent codebase_investigator " + // Gemini CLI
    "delegate " + // OpenHands
    "new_task search_subagent " + // Cline, Roo
    "runSubagent", // Copilot
};

/** Tools that both look and change. An unknown command counts as a change: it is the one that must not slip through. */
const EDITORS = "str_replace_editor str_replace_based_edit_tool file_editor text_editor".split(" ");
const EDITOR: ToolTableEntry = {
  activity: "edit",
  commands: { view: "read", create: "edit", str_replace: "edit", insert: "edit", undo_edit: "edit" },
};

// Plain words that say enough as a tool of an agent's own, but not as one of many a server offers: `mcp__jira__create`
// creates no file and `mcp__forms__submit` finishes no run.
const NOT_OF_SERVERS = "create insert replace open goto list submit finish task agent human run execute".split(" ");

/** The table of all runs, built when first needed: a run may have thousands of children. */
let known: ReadonlyMap<string, ToolTableEntry> | undefined;

function buildTable(): ReadonlyMap<string, ToolTableEntry> {
  const tools = new Map<string, ToolTableEntry>();
  for (const [activity, names] of Object.entries(TOOL_NAMES)) {
    const rule = { activity };
    for (const name of names.split(" ")) tools.set(fold(name), rule);
  }
  for (const name of EDITORS) tools.set(fold(name), EDITOR);
  return tools;
}

function createLookup(
  table: ToolTable,
  others = (word: string): ToolTableEntry | undefined => (known ??= buildTable()).get(word),
): (tool: unknown) => ToolTableEntry | undefined {
  const exact = new Map(Object.entries(table).map(([name, rule]) => [name, checkRule(name, rule)]));
  const folded = new Map([...exact].map(([name, rule]) => [fold(name), rule]));
  const own = (name: string): ToolTableEntry | undefined => exact.get(name) ?? folded.get(fold(name));
  const find = (tool: string): ToolTableEntry | undefined => {
    const { bare, ofServer } = stripPrefix(tool);
    const word = fold(bare);
    return own(tool) ?? own(bare) ?? (ofServer && NOT_OF_SERVERS.includes(word) ? undefined : others(word));
  };
  // An agent has a few tools and calls them again and again.
  const found = new Map<string, ToolTableEntry | undefined>();
  return (tool) => {
    if (typeof tool !== "string" || tool.length > MAX_NAME) return undefined;
    if (found.has(tool)) return found.get(tool);
    const rule = find(tool);
    if (found.size < MAX_FOUND) found.set(tool, rule);
    return rule;
  };
}

function checkRule(name: string, rule: unknown): ToolTableEntry {
  const entry = (typeof rule === "string" ? { activity: rule } : (rule ?? {})) as ToolTableEntry;
  if (typeof entry.activity !== "string" || entry.activity === "")
    throw invalidOption(`table.${name}`, 'it needs an activity, such as "read" or "edit"');
  assertNames(entry, ["activity", "mutates", "commands", "undo"]);
  return entry;
}

const MAX_NAME = 200;
const MAX_FOUND = 256;

function fold(name: string): string {
  return name.toLowerCase().replace(/[-_.\s]+/g, "");
}

/** `mcp__server__tool`, Gemini CLI's `mcp_server_tool`, and `functions.tool`. */
function stripPrefix(tool: string): { readonly bare: string; readonly ofServer: boolean } {
  if (tool.startsWith("functions.")) return stripPrefix(tool.slice("functions.".length));
  const served = /^mcp__.+?__(.+)$/s.exec(tool) ?? /^mcp_[^_]+_(.+)$/s.exec(tool);
  return { bare: served?.[1] ?? tool, ofServer: served !== null };
}

function readMeaning(rule: ToolTableEntry, input: unknown): Meaning {
  const given = readArguments(input);
  const command = typeof given === "object" ? member(given, "command") : undefined;
  const { commands = {} } = rule;
  const chosen = typeof command === "string" ? ownValue(commands, command) : undefined;
  const activity = chosen ?? rule.activity;
  return toMeaning(rule, activity, given === undefined ? [] : findTargets(given, activity));
}

function toMeaning({ mutates }: ToolTableEntry, activity: Activity, targets: readonly string[]): Meaning {
  const meaning: { -readonly [K in keyof Meaning]: Meaning[K] } = { activity };
  if (targets.length > 0) meaning.targets = targets;
  const changes = mutates ?? mutatesBy(activity);
  if (changes !== undefined) meaning.mutates = changes;
  return meaning;
}

const CHANGING: readonly Activity[] = ["edit", "vcs-write", "install", "act"];
const LOOKING: readonly Activity[] = ["read", "search", "vcs-read", "plan", "ask", "wait"];

function mutatesBy(activity: Activity): boolean | undefined {
  return CHANGING.includes(activity) ? true : LOOKING.includes(activity) ? false : undefined;
}

/** Equal for equal arguments in any order. */
function identityOf(tool: string, input: unknown): string {
  const sorted = (_key: string, value: unknown): unknown =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
  return hashText(JSON.stringify([tool, toJson(readArguments(input) ?? input)], sorted));
}

const EFFECTS: ReadonlyMap<Activity | undefined, Meaning["effect"]> = new Map([
  ["read", "look"],
  ["search", "look"],
  ["edit", "change"],
  ["act", "act"],
  ["ask", "ask"],
  ["wait", "wait"],
]);

type Arguments = Readonly<Record<string, unknown>>;

// Parsing takes time by length, and a call of this size has been written, not read: its targets are not worth it.
const MAX_PARSED = 262_144;

/** Arguments as an object, also if the host passes them as JSON text; any other text stays a text. */
function readArguments(input: unknown): Arguments | string | undefined {
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return input as Arguments;
  if (typeof input !== "string") return undefined;
  if (input.length > MAX_PARSED || !/^\s*\{/.test(input.slice(0, 100))) return input;
  try {
    return readArguments(JSON.parse(input));
  } catch {
    return input;
  }
}

function member(given: Arguments, key: string): unknown {
  return Object.hasOwn(given, key) ? given[key] : undefined;
}

const MAX_TARGETS = 32;
const MAX_TARGET = 300;
const MAX_PATCH = 65_536;

const PLACES = (
  "path file_path filePath filepath filename file_name fileName file target_file absolute_path " +
  "relative_path notebook_path dir_path dirPath dir directory target_directory source destination " +
  "source_path destination_path paths file_paths filePaths files include url urls uri"
).split(" ");
const QUERIES = "pattern query queries regex search_term search_query glob_pattern".split(" ");
const PATCHES = "patch patchText input diff".split(" ");
/** The names of arguments that hold targets, each with its rank. */
const PLACE_RANKS = ranked(PLACES);
const SEARCH_RANKS = ranked([...QUERIES, ...PLACES]);

function ranked(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map(names.map((name, rank) => [name, rank]));
}

/** The arguments that are among the ranked names, by rank: a call has a few arguments, and there are many names. */
function rankedKeys(given: Arguments, ranks: ReadonlyMap<string, number>): readonly string[] {
  // Binary data has as many members as bytes, and none of these.
  if (ArrayBuffer.isView(given)) return [];
  const keys = Object.keys(given).filter((key) => ranks.has(key));
  return keys.length < 2 ? keys : keys.sort((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
}

function findTargets(given: Arguments | string, activity: Activity): readonly string[] {
  const targets: string[] = [];
  if (typeof given === "object")
    for (const key of rankedKeys(given, activity === "search" ? SEARCH_RANKS : PLACE_RANKS))
      addTargets(targets, given[key]);
  if (targets.length > 0) return targets;
  // Tools that take one text get it as it is, or under the name "input".
  const text = typeof given === "string" ? given : member(given, "input");
  if ((activity === "search" || activity === "read") && typeof text === "string" && isLine(text))
    addTarget(targets, text);
  if (activity === "edit") {
    const patch =
      typeof given === "string"
        ? given
        : PATCHES.map((key) => member(given, key)).find((value) => typeof value === "string");
    if (typeof patch === "string") for (const file of patchedFiles(patch.slice(0, MAX_PATCH))) addTarget(targets, file);
  }
  return targets;
}

function addTargets(targets: string[], value: unknown): void {
  if (typeof value === "string") {
    addTarget(targets, value);
    return;
  }
  for (const item of Array.isArray(value) ? value.slice(0, MAX_TARGETS) : [value]) {
    addTarget(
      targets,
      typeof item === "object" && item !== null
        ? (member(item as Arguments, "path") ?? member(item as Arguments, "file_path"))
        : item,
    );
  }
}

function addTarget(targets: string[], value: unknown): void {
  const target = typeof value === "string" ? value.slice(0, MAX_TARGET).trim() : "";
  if (target !== "" && targets.length < MAX_TARGETS && !targets.includes(target)) targets.push(target);
}

function isLine(text: string): boolean {
  return text.length <= MAX_TARGET && !/[\r\n{}]/.test(text);
}

/** The files a patch names, in the format of Codex or as a unified diff. */
function* patchedFiles(patch: string): Generator<string> {
  const headings = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$|^--- .+\n\+\+\+ (?:b\/)?([^\t\n]+)/gm;
  for (const [, file, changed] of patch.matchAll(headings)) {
    const found = file ?? changed;
    if (found !== undefined && found !== "/dev/null") yield found;
  }
}
