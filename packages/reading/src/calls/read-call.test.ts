import { describe, expect, it } from "vitest";
import type { Meaning, ToolResult } from "@phasekit/core";
import { interpret } from "../__fixtures__/interpret.ts";
import { reading } from "../reading.ts";
import { createCallReader } from "./read-call.ts";

const meaningOf = (tool: string, input: unknown, result?: Partial<ToolResult>): Meaning =>
  interpret({ tool, input }, result === undefined ? undefined : { outcome: "ok", output: "", ...result });

describe("createCallReader", () => {
  it.each<[agent: string, tool: string, input: unknown, expected: Meaning]>([
    ["Claude Code", "Bash", { command: "npm test" }, { activity: "test" }],
    ["Claude Code", "Read", { file_path: "a.ts" }, { activity: "read", targets: ["a.ts"], mutates: false }],
    [
      "Claude Code",
      "Edit",
      { file_path: "a.ts", old_string: "a", new_string: "b" },
      { activity: "edit", targets: ["a.ts"], mutates: true },
    ],
    ["a notebook", "cell", { command: "!npm test" }, { activity: "test" }],
    ["a notebook", "cell", { command: "%cd src" }, { activity: "run" }],
    ["a notebook", "cell", { command: "!cd src\n!cat a.ts" }, { activity: "read", targets: ["a.ts"] }],
    ["a notebook", "execute_code", { code: "%%bash\nnpm test" }, { activity: "test" }],
    ["others", "cell", { command: "view", path: "a.ts" }, { activity: "other" }],
    ["others", "bash", { command: "! npm test" }, { activity: "test" }],
    ["Claude Code", "BashOutput", { bash_id: "1" }, { activity: "wait" }],
    ["Codex", "shell", { command: ["bash", "-lc", "rg foo src"] }, { activity: "search", targets: ["foo", "src"] }],
    ["Codex", "shell", { command: ["ls", "-la"] }, { activity: "search" }],
    ["Codex", "exec_command", '{"cmd":"sed -n 1,20p a.ts"}', { activity: "read", targets: ["a.ts"] }],
    [
      "Codex",
      "apply_patch",
      "*** Begin Patch\n*** Update File: src/a.ts\n-x\n+y\n*** End Patch",
      { activity: "edit", targets: ["src/a.ts"] },
    ],
    [
      "Codex",
      "shell",
      { command: ["apply_patch", "*** Begin Patch\n*** Add File: b.ts\n+y\n*** End Patch"] },
      { activity: "edit", targets: ["b.ts"] },
    ],
    ["Codex", "write_stdin", { session_id: 1, chars: "" }, { activity: "wait" }],
    ["Codex", "write_stdin", { session_id: 1, chars: "npm test\n" }, { activity: "run" }],
    ["others", "write_patch", { path: "a.ts", patch: "x" }, { activity: "edit", targets: ["a.ts"] }],
    ["others", "write_fix", { path: "a.ts", content: "x" }, { activity: "edit", targets: ["a.ts"] }],
    ["Gemini CLI", "run_shell_command", { command: "go build ./..." }, { activity: "build" }],
    [
      "Gemini CLI",
      "replace",
      { file_path: "a.go", old_string: "a", new_string: "b" },
      { activity: "edit", targets: ["a.go"] },
    ],
    ["OpenHands", "execute_bash", '{"command": "cd /workspace && python3 reproduce.py"}', { activity: "run" }],
    ["OpenHands", "execute_bash", { command: "", is_input: "true" }, { activity: "wait" }],
    [
      "OpenHands",
      "str_replace_editor",
      { command: "view", path: "/w/a.py" },
      { activity: "read", targets: ["/w/a.py"] },
    ],
    [
      "OpenHands",
      "str_replace_editor",
      { command: "create", path: "/w/a.py", file_text: "x" },
      { activity: "edit", targets: ["/w/a.py"] },
    ],
    [
      "OpenHands",
      "execute_ipython_cell",
      { code: "search_dir('foo', '/w')" },
      { activity: "search", targets: ["foo"] },
    ],
    ["OpenHands", "execute_ipython_cell", { code: "!pytest -q" }, { activity: "test" }],
    ["OpenHands", "execute_ipython_cell", { code: "import x\nprint(x.y)" }, { activity: "run" }],
    ["SWE-agent", "bash", { command: 'open "src/a.py" 12' }, { activity: "read", targets: ["src/a.py"] }],
    ["SWE-agent", "bash", { command: "edit 10:12 <<EOF\nx\nEOF" }, { activity: "edit" }],
    ["SWE-agent", "bash", { command: "search_dir foo src" }, { activity: "search" }],
    ["mini-swe-agent", "bash", { command: "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT" }, { activity: "finish" }],
    ["Cline", "execute_command", { command: "npm run lint" }, { activity: "lint" }],
    ["aider", "/run", "pytest tests/test_a.py", { activity: "test" }],
    ["Attocode", "bash", { command: "git status" }, { activity: "vcs-read", mutates: false }],
    ["nobody's", "run_in_bash", { command: "cat a.txt" }, { activity: "read", targets: ["a.txt"] }],
    ["nobody's", "frobnicate", { command: "cat a.txt" }, { activity: "other" }],
  ])("%s: %s %j", (...[, tool, input, expected]) => {
    expect(meaningOf(tool, input)).toMatchObject(expected);
  });

  it("lets a user's table come first", () => {
    const own = createCallReader({ tools: { deploy: "run", bash: { activity: "other" } } });
    expect(own({ tool: "deploy", given: { command: "npm test" } }).activity).toBe("test");
    expect(own({ tool: "bash", given: { command: "npm test" } }).activity).toBe("other");
    expect(() => createCallReader({ tools: { broken: {} as never } })).toThrow(/activity/);
    expect(() => reading({ tools: { broken: {} as never } })).toThrow(/activity/);
  });

  it("says all parts of a compound call, and which files it reads and writes", () => {
    expect(meaningOf("bash", { command: "cat a.ts && sed -i s/a/b/ b.ts && npm test" })).toEqual({
      activity: "test",
      parts: ["read", "edit", "test"],
      targets: ["a.ts", "b.ts"],
      mutates: true,
      notes: { shell: true, reads: ["a.ts"], edits: ["b.ts"] },
    });
  });

  describe("exit codes", () => {
    it.each<[how: string, result: Partial<ToolResult>, code: number | undefined]>([
      ["the fact itself", { exitCode: 3 }, 3],
      ["exitCode", { output: { exitCode: 2, stdout: "x" } }, 2],
      ["exit_code", { output: { exit_code: 2, stderr: "x" } }, 2],
      ["returncode", { output: { returncode: 0, output: "x" } }, 0],
      ["code", { output: { code: 4 } }, 4],
      ["status", { output: { status: 1, stdout: "" } }, 1],
      ["a status that is a word", { output: { status: "completed", stdout: "" } }, undefined],
      ["metadata inside", { output: { output: "x", metadata: { exit_code: 5 } } }, 5],
      ["JSON text (Codex)", { output: '{"output":"x","metadata":{"exit_code":0,"duration_seconds":1}}' }, 0],
      [
        "content parts (MCP)",
        { output: { content: [{ type: "text", text: "hello\n[Command finished with exit code 7]" }] } },
        7,
      ],
      ["OpenHands", { output: "hello\n[The command completed with exit code 0.]\n[Current working directory: /w]" }, 0],
      ["Claude Code", { outcome: "error", output: "Exit code 2\nboom" }, 2],
      ["Codex text", { output: "Chunk ID: a\nWall time: 1 seconds\nProcess exited with code 0\nOutput:\nx" }, 0],
      ["mini-swe-agent", { output: "<returncode>1</returncode>\n<output>\nx\n</output>" }, 1],
      ["Gemini CLI", { output: "Command: x\nOutput: (empty)\nExit Code: 0\nSignal: 0" }, 0],
      ["Copilot", { output: "done\n<exited with exit code 0>" }, 0],
      ["pi", { output: "boom\n\nCommand exited with code 1" }, 1],
      ["words of the program", { output: "the tool fails with exit code 3 in this case" }, undefined],
    ])("%s", (_how, result, code) => {
      const { notes } = meaningOf("bash", { command: "python app.py" }, result);
      expect((notes as { exitCode?: number }).exitCode).toBe(code);
    });
  });

  describe("tests", () => {
    it.each<[name: string, command: string, result: Partial<ToolResult>, expected: object]>([
      [
        "trusted pass",
        "npx jest",
        { exitCode: 0, output: "Tests:       3 passed, 3 total" },
        { verdict: "pass", runner: "jest", passed: 3, trusted: true },
      ],
      [
        "piped failure with exit code 0",
        "npx jest | tail -3",
        { exitCode: 0, output: "Tests:       1 failed, 3 total" },
        { verdict: "fail", trusted: false },
      ],
      ["silent and trusted", "npm test", { exitCode: 0, output: "" }, { verdict: "pass", trusted: true }],
      [
        "silent and not trusted",
        "npm test || true",
        { exitCode: 0, output: "" },
        { verdict: "unknown", trusted: false },
      ],
      ["an error without a code", "npm test", { outcome: "error", output: "" }, { verdict: "fail", trusted: true }],
      ["an ok without a code says nothing", "npm test", { output: "" }, { verdict: "unknown", trusted: false }],
      [
        "no tests ran",
        "npx vitest run",
        { exitCode: 1, output: "No test files found, exiting with code 1" },
        { verdict: "unknown" },
      ],
      [
        "no tests ran, exit code 0",
        "npx jest --passWithNoTests",
        { exitCode: 0, output: "No tests found, exiting with code 0" },
        { verdict: "unknown" },
      ],
      [
        "printed status",
        "npm test > log 2>&1; echo $?",
        { exitCode: 0, output: "1" },
        { verdict: "fail", trusted: true },
      ],
      [
        "cargo's `0 failed`",
        "cargo test",
        { output: "test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out" },
        { verdict: "pass" },
      ],
      ["a tool for tests", "", { output: "5 passed, 2 failed" }, { verdict: "fail", passed: 5, failed: 2 }],
    ])("%s", (...[, command, result, expected]) => {
      const meaning = command === "" ? meaningOf("run_tests", {}, result) : meaningOf("bash", { command }, result);
      expect(meaning.tests).toMatchObject(expected);
    });

    it.each([
      {
        exitCode: 1,
        output: "Tests:       3 passed, 3 total",
        verdict: "fail",
        note: "The output says pass, the exit code is 1.",
      },
      {
        exitCode: 0,
        output: "Tests:       1 failed, 3 total",
        verdict: "pass",
        note: "The output says fail, the exit code is 0.",
      },
    ])(
      "a trusted exit code $exitCode beats the output, and the conflict is recorded",
      ({ exitCode, output, verdict, note }) => {
        const meaning = meaningOf("bash", { command: "npx jest" }, { exitCode, output });
        expect(meaning.tests?.verdict).toBe(verdict);
        expect(meaning.notes).toMatchObject({ conflict: note });
      },
    );

    it("does not call a check a test", () => {
      const meaning = meaningOf(
        "bash",
        { command: "npx tsc --noEmit" },
        { exitCode: 2, output: "a.ts(1,1): error TS2322: no" },
      );
      expect(meaning.tests).toBeUndefined();
      expect(meaning.notes).toMatchObject({ check: { verdict: "fail", runner: "tsc", failed: 1 } });
    });
  });

  describe("edits", () => {
    it.each([
      ["ERROR:\nNo replacement was performed, old_str did not appear verbatim.", false],
      ["<tool_use_error>String to replace not found in file.</tool_use_error>", false],
      ["Could not find the following lines to replace in the file content:\n```\na = 1\n```", false],
      ["Unable to locate the block in main.py", false],
      ["The file a.py has been edited.", true],
      ["", true],
    ])("an editor that answers %j has changed something: %s", (output, mutates) => {
      expect(
        meaningOf(
          "str_replace_editor",
          { command: "str_replace", path: "a.py", old_str: "a", new_str: "b" },
          { output },
        ).mutates,
      ).toBe(mutates);
    });

    it.each([
      ["Patch written. Running the tests: 12 passed, 0 failed", "pass"],
      ["Lines written, the result of running test cases is the following:\nThere are 1 failing test cases", "fail"],
      ["The file a.py has been edited:\n   10\t# running tests: 3 failed\n   11\tx = 1", undefined],
      ["Applied:\n-# running tests: 3 failed\n+x = 1", undefined],
      ["The file a.py has been edited. Running tests is up to you.", undefined],
    ])("an editor that answers %j has run the tests itself: %s", (output, verdict) => {
      const meaning = meaningOf("write_fix", { path: "a.py" }, { output });
      expect(meaning.activity).toBe("edit");
      expect(meaning.tests?.verdict).toBe(verdict);
    });

    it.each([
      ["create", "/w/repo/reproduce.py", true],
      ["create", "/w/repo/test_fix.py", true],
      ["create", "/tmp/x.py", true],
      ["create", "/w/repo/src/reproduce.py", true],
      ["create", "/w/repo/src/debug.py", false],
      ["create", "/w/repo/tests/test_fix.py", false],
      ["create", "/w/repo/app.py", false],
      ["create", "/tmp/notes.md", false],
      ["create", "/tmp/fix.patch", false],
      ["create", "/tmp/case.less", true],
      ["create", "/tmp/site/mkdocs.yml", true],
      ["create", "/private/var/tmp/a.json", true],
      ["create", "/tmp/project/src/index.ts", false],
      ["str_replace", "/tmp/x.py", true],
      ["str_replace", "/tmp/project/main.py", false],
      ["create", "/w/repo/src/test/java/ReproIssueTest.java", true],
      ["create", "/w/repo/src/main/java/ReproducibleBuild.java", false],
      ["str_replace", "/w/repo/django/views/debug.py", false],
      ["str_replace", "/w/repo/reproduce.py", true],
    ])("%s %s only tries something out: %s", (command, path, scratch) => {
      const { notes } = meaningOf("str_replace_editor", {
        command,
        path,
        ...(command === "create" ? { file_text: "x" } : { old_str: "a", new_str: "b" }),
      });
      expect((notes as { scratch?: boolean } | undefined)?.scratch === true).toBe(scratch);
    });

    it.each<[what: string, input: object, weakens: readonly string[] | undefined]>([
      [
        "skips a test",
        { old_string: "it('a', () => {", new_string: "it.skip('a', () => {" },
        ["a.test.ts: a test is skipped"],
      ],
      [
        "removes a test",
        { old_string: "it('a', () => { expect(1).toBe(1) })", new_string: "" },
        ["a.test.ts: a test is removed"],
      ],
      [
        "comments a test out",
        { old_string: "it('a', () => {})", new_string: "// it('a', () => {})" },
        ["a.test.ts: a test is removed"],
      ],
      [
        "removes an assertion",
        { old_string: "expect(a).toBe(1); expect(b).toBe(2)", new_string: "expect(a).toBe(1)" },
        ["a.test.ts: an assertion is removed"],
      ],
      ["adds a test", { old_string: "})", new_string: "it('b', () => { expect(1).toBe(1) })\n})" }, undefined],
      ["changes an expectation", { old_string: "expect(a).toBe(1)", new_string: "expect(a).toBe(2)" }, undefined],
    ])("%s", (_what, change, weakens) => {
      const { notes } = meaningOf("Edit", { file_path: "a.test.ts", ...change });
      expect((notes as { weakens?: readonly string[] } | undefined)?.weakens).toEqual(weakens);
    });

    it("notes removed files, and not what happens to the assertions of other files", () => {
      expect(meaningOf("bash", { command: "rm tests/test_a.py src/b.py" }).notes).toMatchObject({
        removes: ["tests/test_a.py", "src/b.py"],
      });
      expect(
        meaningOf("Edit", { file_path: "src/a.ts", old_string: "expect(1)", new_string: "" }).notes,
      ).toBeUndefined();
    });
  });

  it.each([
    ["Your proposed edit has introduced new syntax error(s). Please read this error message carefully.", false],
    ["[File: a.py (3 lines total)]\n1:x\nFile updated.", true],
  ])("SWE-agent's editor answers %j: changed %s", (output, mutates) => {
    expect(meaningOf("bash", { command: "edit 1:2\nx\nend_of_edit" }, { output }).mutates).toBe(mutates);
  });

  it("knows from the answer which file SWE-agent's editor has open", () => {
    const change = (output: string) => meaningOf("bash", { command: "edit 1:2\nx\nend_of_edit" }, { output });
    expect(change("[File: /w/reproduce.py (3 lines total)]\n1:x\nFile updated.")).toMatchObject({
      activity: "edit",
      targets: ["/w/reproduce.py"],
      notes: { scratch: true },
    });
    expect(change("[File: /w/src/fields.py (3 lines total)]\n1:x\nFile updated.").notes).toEqual({ shell: true });
    expect(change("File updated.").targets).toBeUndefined();
  });

  it.each<[agent: string, output: unknown, exitCode: number | undefined]>([
    ["Claude Code", "Error: Exit code 2\nboom", 2],
    ["Claude Code", "Exit code 1\nFAIL", 1],
    ["Codex", "Exit code: 3\nWall time: 1 seconds\nOutput:\nx", 3],
    ["Codex", '{"output":"x","metadata":{"exit_code":4,"duration_seconds":0.1}}', 4],
    ["Codex", "Chunk ID: 1\nProcess exited with code 5\nOutput:\nx", 5],
    ["mini-swe-agent", "<returncode>6</returncode>\n<output>\nx\n</output>", 6],
    ["mini-swe-agent", { returncode: 7, output: "x" }, 7],
    ["OpenHands", "x\n[The command completed with exit code 8.]", 8],
    ["OpenHands", { content: "x", extras: { exit_code: 9 } }, 9],
    ["OpenHands", "x\n[Python Interpreter: /usr/bin/python]\n[Command finished with exit code 10]", 10],
    ["Copilot", "x\n<exited with exit code 11>", 11],
    ["Copilot", "x\n<shellId: 3 completed with exit code 12>", 12],
    ["Gemini CLI", "Command: x\nOutput: y\nExit Code: 13\nSignal: (none)", 13],
    ["pi", "x\n\nCommand exited with code 14", 14],
    ["opencode", { output: "x", metadata: { exit: 15 } }, 15],
    ["AI SDK", { stdout: "", stderr: "x", exitCode: 16 }, 16],
    ["Node", { status: 17, stdout: "x", stderr: "" }, 17],
    ["MCP", { content: [{ type: "text", text: "Exit code: 18\nx" }], isError: true }, 18],
    ["a text", { exit_code: "19", output: "x" }, 19],
    ["none", "exit code is mentioned here", undefined],
    ["none", "the docs say: Exit code 1 means failure, see below", undefined],
    ["none", { status: "completed", output: "x" }, undefined],
    ["none", { code: "ENOENT", message: "x" }, undefined],
  ])("%s: %j tells the exit code", (...[, output, exitCode]) => {
    expect((meaningOf("bash", { command: "x" }, { output }).notes as { exitCode?: number }).exitCode).toBe(exitCode);
  });

  it("knows a plan by its steps, not by their state", () => {
    const plan = (status: string) =>
      meaningOf("TodoWrite", {
        todos: [
          { content: "a", status },
          { content: "b", status: "pending" },
        ],
      }).notes as { plan: string; openTodos: number };
    expect(plan("pending").plan).toBe(plan("completed").plan);
    expect([plan("pending").openTodos, plan("completed").openTodos]).toEqual([2, 1]);
  });

  it.each([
    ["a failing command", "bad", { exitCode: 1 }, true],
    ["grep that finds nothing", "grep x y", { exitCode: 1 }, undefined],
    ["grep that breaks", "grep x y", { exitCode: 2 }, true],
    ["a command that works", "good", { exitCode: 0 }, undefined],
    ["an error without a code", "bad", { outcome: "error" as const }, true],
  ])("%s", (...[, command, result, failed]) => {
    expect((meaningOf("bash", { command }, result).notes as { failed?: true }).failed).toBe(failed);
  });

  it.each([
    [undefined],
    [null],
    [42],
    [[]],
    [{}],
    [{ command: null }],
    [{ command: [1, 2] }],
    ["{"],
    [{ command: "x".repeat(1_000_000) }],
  ])("takes any input: %j", (input) => {
    for (const tool of ["bash", "Edit", "TodoWrite", "execute_ipython_cell", "apply_patch", ""]) {
      for (const output of [undefined, null, 1, "", [], {}, { content: [null] }])
        expect(() => meaningOf(tool, input, { output })).not.toThrow();
    }
  });
});
