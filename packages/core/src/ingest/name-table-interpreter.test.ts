import { describe, expect, it } from "vitest";
import type { Meaning } from "../events/meaning.ts";
import { nameTableInterpreter } from "./name-table-interpreter.ts";

const known = nameTableInterpreter();
const meaning = (tool: string, input: unknown = {}): Meaning | undefined => known.interpret({ tool, input });
const activity = (tool: string, input: unknown = {}): string | undefined => meaning(tool, input)?.activity;

describe("nameTableInterpreter and known tools", () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    [
      "Claude Code",
      {
        read: "Read NotebookRead WebFetch LSP",
        search: "Grep Glob LS WebSearch",
        edit: "Edit MultiEdit Write NotebookEdit",
        run: "Bash PowerShell",
        plan: "TodoWrite EnterPlanMode ExitPlanMode TaskCreate TaskUpdate",
        ask: "AskUserQuestion",
        wait: "BashOutput TaskOutput",
        delegate: "Task Agent",
        other: "KillShell KillBash Skill SlashCommand TodoRead",
      },
    ],
    [
      "Codex",
      {
        read: "read_file view_image",
        search: "list_dir grep_files web_search",
        edit: "apply_patch",
        plan: "update_plan",
        ask: "request_user_input",
        run: "shell local_shell shell_command exec_command unified_exec write_stdin container.exec",
        delegate: "spawn_agent",
        wait: "wait",
      },
    ],
    [
      "Gemini CLI",
      {
        read: "read_file read_many_files web_fetch",
        edit: "write_file replace",
        run: "run_shell_command",
        plan: "write_todos enter_plan_mode exit_plan_mode update_topic",
        search: "search_file_content grep_search glob list_directory google_web_search",
        ask: "ask_user",
        other: "save_memory activate_skill",
      },
    ],
    [
      "OpenHands",
      {
        run: "execute_bash execute_ipython_cell terminal browser run",
        plan: "task_tracker",
        finish: "finish",
        edit: "edit_file write edit",
        read: "read",
        delegate: "delegate",
        "vcs-write": "create_pr create_mr create_bitbucket_pr",
        other: "think recall message request_condensation",
      },
    ],
    [
      "SWE-agent",
      {
        run: "bash",
        read: "open goto scroll_up scroll_down",
        search: "search_file search_dir find_file",
        edit: "edit create insert",
        finish: "submit",
      },
    ],
    [
      "Cline and Roo",
      {
        read: "read_file list_code_definition_names access_mcp_resource",
        search: "search_files list_files codebase_search",
        run: "execute_command browser_action",
        edit: "write_to_file replace_in_file apply_diff insert_content search_and_replace",
        ask: "ask_followup_question",
        finish: "attempt_completion",
        plan: "plan_mode_respond update_todo_list focus_chain",
        delegate: "new_task",
        other: "switch_mode use_mcp_tool act_mode_respond condense",
        wait: "read_command_output",
      },
    ],
    [
      "aider",
      {
        run: "/run",
        test: "/test",
        lint: "/lint",
        read: "/add /read-only /web",
        search: "/ls",
        edit: "edit_block replace_lines",
        "vcs-write": "/commit /undo",
        "vcs-read": "/diff",
      },
    ],
    [
      "LangChain",
      {
        read: "read_file requests_get web-browser wikipedia-api",
        edit: "write_file copy_file move_file file_delete",
        run: "terminal python_repl Python_REPL sql_db_query",
        search:
          "list_directory file_search tavily_search tavily_search_results_json duckduckgo_search " +
          "google_search brave-search",
        ask: "human",
        other: "requests_post calculator",
      },
    ],
    [
      "Attocode",
      {
        read: "read_file",
        edit: "write_file edit_file",
        search: "list_files grep glob search find_files search_files",
        run: "bash",
        delegate: "task spawn_agent",
      },
    ],
    [
      "Copilot",
      {
        run: "bash write_bash run_in_terminal",
        read: "view fetch_webpage",
        edit: "create edit insert_edit_into_file replace_string_in_file",
        wait: "read_bash get_terminal_output",
        search: "grep glob file_search semantic_search",
        lint: "get_errors",
        test: "runTests",
        plan: "update_todo manage_todo_list",
        other: "stop_bash report_intent",
        delegate: "runSubagent",
      },
    ],
    [
      "opencode",
      {
        read: "read webfetch",
        edit: "write edit multiedit patch",
        run: "bash",
        search: "grep glob list websearch codesearch",
        plan: "todowrite plan_enter plan_exit",
        delegate: "task",
        ask: "question",
        other: "todoread invalid",
      },
    ],
    [
      "common MCP servers",
      {
        read: "mcp__filesystem__read_text_file mcp__fetch__fetch",
        edit: "mcp__filesystem__write_file",
        search: "mcp__filesystem__directory_tree",
        "vcs-read": "mcp__git__git_status mcp__git__git_log",
        "vcs-write": "mcp__git__git_commit mcp__github__create_pull_request",
      },
    ],
  ])("nameTableInterpreter knows the tools of %s", (_host, namesByActivity) => {
    for (const [expected, names] of Object.entries(namesByActivity)) {
      for (const tool of names.split(" ")) expect(`${tool}: ${String(activity(tool))}`).toBe(`${tool}: ${expected}`);
    }
  });
});

describe("nameTableInterpreter and names", () => {
  it.each([
    ["ReadFile", "read"],
    ["read-file", "read"],
    ["READ_FILE", "read"],
    ["readFile", "read"],
    ["read file", "read"],
    ["functions.exec_command", "run"],
    ["functions.mcp__fs__read_file", "read"],
    ["mcp__my_server__read_file", "read"],
    ["mcp__a-b__ReadFile", "read"],
    ["mcp_filesystem_write_file", "edit"],
    ["functions.create", "edit"],
  ])("nameTableInterpreter knows a name in any spelling, with and without a prefix: %s is %s", (tool, expected) => {
    expect(activity(tool)).toBe(expected);
  });

  it.each([
    "",
    " ",
    "read_files_later",
    "thread_file",
    "my_bash",
    "bash2",
    "add",
    "diff",
    "test",
    "commit",
    "constructor",
    "__proto__",
    "toString",
    "mcp__",
    "mcp____",
    "mcp__server__",
    "mcp__server",
    "mcp__jira__create",
    "mcp__forms__submit",
    "mcp__crm__list",
    "mcp__lights__open",
    "mcp__ci__run",
    "functions.",
    "server__read_file",
    "get_reservation_details",
    "transfer_to_human_agents",
    "read_file".repeat(100),
  ])("nameTableInterpreter does not know a name that only looks alike: %j", (tool) => {
    expect(meaning(tool, { path: "a.ts" })).toEqual({ activity: "other" });
  });

  it.each([undefined, null, 7, {}])("nameTableInterpreter survives a name that is not a text: %j", (tool) => {
    expect(known.interpret({ tool: tool as never, input: {} })).toEqual({ activity: "other" });
  });
});

describe("nameTableInterpreter and targets", () => {
  it.each<[string, unknown, readonly string[] | undefined]>([
    ["Read", { file_path: "/src/a.ts", limit: 10 }, ["/src/a.ts"]],
    ["read", { filePath: "a.ts" }, ["a.ts"]],
    ["view", { path: "a.ts" }, ["a.ts"]],
    ["edit_file", { target_file: "a.ts" }, ["a.ts"]],
    ["create", { filename: "a.ts" }, ["a.ts"]],
    ["NotebookEdit", { notebook_path: "a.ipynb" }, ["a.ipynb"]],
    ["Grep", { pattern: "foo", path: "src" }, ["foo", "src"]],
    ["search_dir", { search_term: "foo", dir: "src" }, ["foo", "src"]],
    ["find_file", { file_name: "a.ts", dir: "src" }, ["a.ts", "src"]],
    ["WebSearch", { query: "how to" }, ["how to"]],
    ["WebFetch", { url: "https://a.b", prompt: "sum up" }, ["https://a.b"]],
    ["read_many_files", { paths: ["a.ts", "b.ts", "a.ts", "", 7] }, ["a.ts", "b.ts"]],
    ["read_many_files", { include: ["src/**"] }, ["src/**"]],
    ["read_file", { files: [{ path: "a.ts" }, { file_path: "b.ts" }, null, {}] }, ["a.ts", "b.ts"]],
    ["move_file", { source_path: "a.ts", destination_path: "b.ts" }, ["a.ts", "b.ts"]],
    ["read_file", '{"path":"a.ts"}', ["a.ts"]],
    ["read_file", ' \n{"path":"a.ts"}', ["a.ts"]],
    ["read_file", "a.ts", ["a.ts"]],
    ["tavily_search", { input: "how to" }, ["how to"]],
    [
      "apply_patch",
      "*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** Add File: b.ts\n+++ not/a/file\n" +
        "*** Delete File: c.ts\n*** Move to: d.ts\n*** End Patch",
      ["a.ts", "b.ts", "c.ts", "d.ts"],
    ],
    ["apply_patch", { input: "*** Begin Patch\n*** Update File: a.ts" }, ["a.ts"]],
    ["apply_patch", '{"input":"*** Update File: a.ts"}', ["a.ts"]],
    ["patch", { patchText: "--- a/x.ts\n+++ b/x.ts\n@@\n" }, ["x.ts"]],
    ["patch", { patch: "--- a/x.ts\n+++ /dev/null\n" }, undefined],
    // What must not become a target.
    ["Edit", { old_string: "a", new_string: "b", pattern: "x" }, undefined],
    ["Bash", { command: "cat a.ts" }, undefined],
    ["write_file", "a whole file", undefined],
    ["read_file", "two\nlines", undefined],
    ["read_file", '{"path": "a.ts', undefined],
    ["read_file", { path: "" }, undefined],
    ["read_file", { path: 7 }, undefined],
    ["read_file", Object.create({ path: "inherited" }), undefined],
    ["read_file", ["a.ts"], undefined],
    ["read_file", null, undefined],
    ["read_file", 7, undefined],
    ["unknown_tool", { path: "a.ts" }, undefined],
  ])("nameTableInterpreter finds the targets of %s %j", (tool, input, targets) => {
    expect(meaning(tool, input)?.targets).toEqual(targets);
  });

  it("nameTableInterpreter finds at most 32 targets, of at most 300 characters", () => {
    const targets = meaning("read_many_files", {
      paths: Array.from({ length: 1000 }, (_, index) => `${String(index)}${"x".repeat(1000)}`),
    })?.targets;
    expect(targets).toHaveLength(32);
    expect(new Set(targets?.map((target) => target.length))).toEqual(new Set([300]));
    const patch = Array.from({ length: 100 }, (_, index) => `*** Add File: ${String(index)}.ts`).join("\n");
    expect(meaning("apply_patch", patch)?.targets).toHaveLength(32);
  });

  it("nameTableInterpreter reads arguments that throw, are circular or huge, without throwing and in time", () => {
    const circular: Record<string, unknown> = { path: "a.ts" };
    circular["self"] = circular;
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const throwing = {
      get path(): string {
        throw new Error("no");
      },
    };
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key${String(index)}`, index]));
    expect(meaning("read_file", circular)).toEqual({ activity: "read", targets: ["a.ts"], mutates: false });
    expect(meaning("read_file", throwing)).toEqual({ activity: "read", mutates: false });
    expect(meaning("write_file", proxy)).toEqual({ activity: "edit", mutates: true });
    expect(meaning("write_file", wide)).toEqual({ activity: "edit", mutates: true });
    expect(meaning("write_file", `{"path":"a.ts","content":"${"x".repeat(20_000_000)}"}`)).toEqual({
      activity: "edit",
      mutates: true,
    });
    expect(meaning("apply_patch", "-".repeat(20_000_000))).toEqual({ activity: "edit", mutates: true });
  });
});

describe("nameTableInterpreter and mutation", () => {
  it.each([
    ["write_file", true],
    ["git_commit", true],
    ["read_file", false],
    ["grep", false],
    ["git_log", false],
    ["update_plan", false],
    ["ask_user", false],
    ["wait", false],
    ["bash", undefined],
    ["runTests", undefined],
    ["finish", undefined],
    ["task", undefined],
    ["unheard_of", undefined],
  ])("nameTableInterpreter says whether %s mutates: %s", (tool, mutates) => {
    expect(meaning(tool)?.mutates).toBe(mutates);
  });

  it.each(
    ["str_replace_editor", "str_replace_based_edit_tool", "file_editor"].flatMap(
      (tool) =>
        [
          [tool, { command: "view", path: "a" }, { activity: "read", targets: ["a"], mutates: false }],
          [tool, { command: "create", path: "a" }, { activity: "edit", targets: ["a"], mutates: true }],
          [tool, { command: "str_replace", path: "a" }, { activity: "edit", targets: ["a"], mutates: true }],
          [tool, { command: "insert", path: "a" }, { activity: "edit", targets: ["a"], mutates: true }],
          [tool, { command: "undo_edit", path: "a" }, { activity: "edit", targets: ["a"], mutates: true }],
          [tool, '{"command":"view","path":"a"}', { activity: "read", targets: ["a"], mutates: false }],
          [tool, { command: "constructor" }, { activity: "edit", mutates: true }],
          [tool, null, { activity: "edit", mutates: true }],
        ] as const,
    ),
  )("nameTableInterpreter reads the command of %s %j", (tool, input, expected) => {
    expect(meaning(tool, input)).toEqual(expected);
  });
});

describe("nameTableInterpreter with custom tools", () => {
  const own = nameTableInterpreter({
    deploy_app: "release",
    Read: "ask",
    Run: "test",
    run: "build",
    bash: { activity: "run", mutates: true },
    notes: { activity: "edit", commands: { show: "read" } },
    mcp__jira__create: "edit",
    create_ticket: "edit",
    list: "search",
  });

  it.each<[string, unknown, Meaning]>([
    ["deploy_app", { path: "a" }, { activity: "release", targets: ["a"] }],
    ["DeployApp", {}, { activity: "release" }],
    ["mcp__ops__deploy_app", {}, { activity: "release" }],
    ["Read", {}, { activity: "ask", mutates: false }],
    ["read", {}, { activity: "ask", mutates: false }],
    ["Run", {}, { activity: "test" }],
    ["run", {}, { activity: "build" }],
    ["bash", {}, { activity: "run", mutates: true }],
    ["notes", { command: "show" }, { activity: "read", mutates: false }],
    ["notes", { command: "add" }, { activity: "edit", mutates: true }],
    ["mcp__jira__create", {}, { activity: "edit", mutates: true }],
    ["mcp__other__create", {}, { activity: "other" }],
    ["mcp__jira__create_ticket", {}, { activity: "edit", mutates: true }],
    ["mcp__crm__list", {}, { activity: "search", mutates: false }],
    ["grep", {}, { activity: "search", mutates: false }],
  ])("nameTableInterpreter with custom tools reads %s %j", (tool, input, expected) => {
    expect(own.interpret({ tool, input })).toEqual(expected);
  });

  it.each([undefined, null, 7, "", {}, { activity: "" }])(
    "nameTableInterpreter refuses an entry without an activity: %j",
    (rule) => {
      expect(() => nameTableInterpreter({ deploy: rule as never })).toThrow(
        'The option "table.deploy" is wrong: it needs an activity, such as "read" or "edit".',
      );
    },
  );

  it("nameTableInterpreter with custom tools leaves other interpreters alone", () => {
    expect(activity("Read")).toBe("read");
    expect(own).toMatchObject({ name: "name-table", version: "1" });
  });
});
