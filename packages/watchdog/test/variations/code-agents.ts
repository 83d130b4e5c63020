import { bash, call, text, times, user } from "../case-builders.ts";
import { clockOf, fires, idOf, type Kind, staysSilent, wordOf } from "./kind.ts";

const failed = { ok: false } as const;
const red = { ok: false, exit_code: 1 } as const;

/** Coding agents of many makers, each with its own names for the same things. */
export const codeAgents: readonly Kind[] = [
  fires(
    "edits that leave the same tests red",
    times(6, (n) => [call("replace_in_file", { path: "src/date.ts", diff: `- ${wordOf(n)}\n+ ${wordOf(n + 1)}` }, "The content was saved."), call("execute_command", { command: "npx jest date" }, " FAIL  src/date.test.ts\n  ● parses leap years\n\nTests:       1 failed, 6 passed, 7 total", red)]),
    times(6, (n) => [call("Edit", { file_path: "lib/a.rb", old_string: wordOf(n), new_string: wordOf(n + 1) }, "updated"), call("Bash", { command: "bundle exec rspec" }, "rspec ./spec/a_spec.rb:12 # A adds\n12 examples, 1 failure", red)]),
    times(6, (n) => [call("apply_patch", { input: `*** Update File: m.go\n+${wordOf(n)}` }, "Success"), call("shell", { command: ["bash", "-lc", "go test ./..."] }, `--- FAIL: TestSum (0.0${String(n)}s)\n    m_test.go:9: got 3, want 4\nFAIL`, red)]),
    times(7, (n) => [call("str_replace_based_edit_tool", { command: "str_replace", path: "/r/x.py", old_str: wordOf(n), new_str: wordOf(n + 1) }, "The file has been edited."), call("bash", { command: "cd /r && python -m pytest -x" }, `FAILED test_x.py::test_round - AssertionError\n1 failed, 3 passed in 0.${String(n + 1)}1s`, red)]),
  ),
  fires(
    "one change undone and made again",
    times(6, (n) => call("edit_file", { path: "conf.yml", old_string: n % 2 === 0 ? "debug: false" : "debug: true", new_string: n % 2 === 0 ? "debug: true" : "debug: false" }, "edited")),
    times(6, (n) => [call("write_file", { path: "a.css", content: n % 2 === 0 ? "a{color:red}" : "a{color:blue}" }, "ok"), call("screenshot", {}, `button ${n % 2 === 0 ? "red" : "blue"}`)]),
    times(6, () => [call("Edit", { file_path: "p.ts", old_string: "1", new_string: "2" }, "ok"), call("Bash", { command: "git checkout -- p.ts" }, "")]),
    times(6, (n) => [call("str_replace_editor", { command: "str_replace", path: "b.c", old_str: n % 2 === 0 ? "int" : "long", new_str: n % 2 === 0 ? "long" : "int" }, "edited"), call("execute_bash", { command: "make" }, n % 2 === 0 ? "warning: overflow" : "error: conflicting types")]),
  ),
  fires(
    "an edit that does not apply",
    times(5, (n) => [call("read_file", { path: "src/menu.tsx" }, "export const Menu = () => <nav/>;"), call("replace", { file_path: "src/menu.tsx", old_string: `<div class="${wordOf(n)}">`, new_string: "<nav>" }, "Failed to edit, 0 occurrences found", failed)]),
    times(6, (n) => call("apply_patch", { input: `*** Begin Patch\n*** Update File: lib.rs\n@@\n-fn ${wordOf(n)}()\n+fn x()\n*** End Patch` }, "Failed to find expected lines in lib.rs", failed)),
    times(5, () => call("search_replace", { file: "a.py", old: "x = 1", new: "x = 2" }, { success: false, error: "old string occurs 3 times" })),
    times(6, (n) => call("MultiEdit", { file_path: "q.sql", edits: [{ old_string: wordOf(n), new_string: "z" }] }, "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>", failed)),
  ),
  fires(
    "the same files read round and round",
    times(4, () => ["a.ts", "b.ts", "c.ts"].map((path) => call("read_file", { path }, `source of ${path}`))),
    times(4, () => [call("view_file", { AbsolutePath: "/p/x.go" }, "package x"), call("list_dir", { DirectoryPath: "/p" }, "x.go y.go"), call("view_file", { AbsolutePath: "/p/y.go" }, "package y"), call("grep_search", { Query: "func" }, "x.go:3")]),
    times(5, () => [call("Glob", { pattern: "**/*.py" }, "a.py\nb.py"), call("Read", { file_path: "a.py" }, "import b")]),
    times(3, () => ["m.c", "n.c", "o.c", "p.c", "q.c"].map((path) => bash(`cat ${path}`, `int ${path.slice(0, 1)};`))),
    times(4, () => [call("codebase_search", { query: "auth flow" }, "auth.ts:10"), call("read_file", { target_file: "auth.ts", start_line_one_indexed: 1, end_line_one_indexed: 80 }, "export function login() {}")]),
  ),
  fires(
    "the same part of a file, cut differently",
    times(7, (n) => call("Read", { file_path: "/s/app.ts", offset: 100 + n, limit: 60 - n }, "function start() {\n  listen();\n}")),
    ["cat a.py", "head -n 200 a.py", "sed -n '1,200p' a.py", "cat ./a.py", "tail -n 200 a.py", "less a.py", "cat -n a.py"].map((command) => bash(command, "def main():\n    run()\n")),
    times(6, (n) => call("view", { path: "k.kt", view_range: [10 - (n % 3), 40 + (n % 2)] }, "class K { }")),
    times(8, (n) => call("open_file", { path: "z.rs", line_number: 50 + (n % 4) }, "[File: z.rs (60 lines total)]\nfn z() {}")),
  ),
  fires(
    "asking the repository for news that is none",
    ["git status", "git status -s", "git diff", "git diff --stat", "git status --porcelain", "git diff HEAD", "git status -sb", "git diff --name-only", "git status"].map((command) => bash(command, "")),
    ["git log -1", "git log -n 1", "git show --stat HEAD", "git log --oneline -1", "git log -1 --stat", "git show HEAD --name-only", "git log -1 --format=%s"].map((command) => bash(command, "fix: parser")),
    times(6, (n) => [call("Bash", { command: "git status --short", description: wordOf(n) }, " M src/a.ts"), call("Bash", { command: "git diff --stat", description: wordOf(n + 1) }, " src/a.ts | 2 +-")]),
    ["ls", "ls -la", "ls -l", "ls .", "ls -a", "dir", "ls -1", "ls -lah"].map((command) => bash(command, "a.txt")),
  ),
  fires(
    "the plan rewritten, nothing done",
    times(8, (n) => call("TodoWrite", { todos: [{ content: `Look at the ${wordOf(n)} module`, status: "pending" }, { content: `Write the ${wordOf(n + 1)} tests`, status: "pending" }] }, "Todos have been modified successfully.")),
    times(8, (n) => call("update_plan", { explanation: wordOf(n), plan: [{ step: `Understand ${wordOf(n)}`, status: "in_progress" }, { step: "Implement", status: "pending" }] }, "Plan updated")),
    times(8, (n) => call("write_todos", { todos: [{ description: `first ${wordOf(n)}`, status: "pending" }] }, "Successfully updated the todo list")),
    times(7, (n) => call("think", { thought: `Maybe ${wordOf(n)} is the cause, or ${wordOf(n + 2)}.` }, "Your thought has been logged.")),
  ),
  staysSilent(
    "tests that get better with every edit",
    times(8, (n) => [call("replace_in_file", { path: "src/p.ts", diff: wordOf(n) }, "saved"), call("execute_command", { command: "npm test" }, `Tests: ${String(8 - n)} failed, ${String(n + 2)} passed, 10 total`, n < 8 ? red : {})]),
    times(7, (n) => [call("Edit", { file_path: `src/${wordOf(n)}.rs`, old_string: "a", new_string: wordOf(n) }, "ok"), call("Bash", { command: "cargo build" }, `error[E0${String(300 + n * 7)}]: ${wordOf(n)} in src/${wordOf(n)}.rs\nerror: could not compile due to ${String(7 - n)} previous errors`, red)]),
    times(6, (n) => [call("edit", { path: "t.py", old: wordOf(n), new: wordOf(n + 1) }, "ok"), bash("mypy .", `Found ${String(60 - n * 10)} errors in ${String(6 - n)} files`, red)]),
    times(9, (n) => [call("apply_patch", { input: `*** Update File: s${String(n)}.swift\n+${wordOf(n)}` }, "Done"), call("shell", { command: ["swift", "test"] }, `Test Case '-[T test_${wordOf(n)}]' failed\nExecuted 20 tests, with 1 failure`, red)]),
  ),
  staysSilent(
    "exploring a big repository",
    [call("list_dir", { path: "." }, "src test docs"), ...times(25, (n) => call("read_file", { path: `src/${wordOf(n)}.ts` }, `export const ${wordOf(n)} = ${String(n)};`)), text("I understand the structure now."), call("edit_file", { path: "src/index.ts", old: "a", new: "b" }, "ok")],
    times(18, (n) => call("Grep", { pattern: wordOf(n), output_mode: "content" }, n % 3 === 0 ? "No matches found" : `src/${wordOf(n)}.ts:4: ${wordOf(n)}`)),
    times(14, (n) => [call("codebase_search", { query: `how does ${wordOf(n)} work` }, `${wordOf(n)}.py lines 1-40`), call("read_file", { path: `${wordOf(n)}.py` }, `class ${wordOf(n)}: pass`)]),
    times(20, (n) => bash(`sed -n '${String(n * 100 + 1)},${String(n * 100 + 100)}p' src/compiler.ts`, `function ${wordOf(n)}() {}`)),
    times(16, (n) => call("view_file_outline", { AbsolutePath: `/r/${wordOf(n)}.java` }, `class ${wordOf(n)} { }`)),
  ),
  staysSilent(
    "one change made in many places",
    times(20, (n) => [call("Read", { file_path: `/w/${wordOf(n)}.test.ts` }, `import { x } from "jest"; // ${wordOf(n)}`), call("Edit", { file_path: `/w/${wordOf(n)}.test.ts`, old_string: '"jest"', new_string: '"vitest"' }, "The file has been updated successfully.")]),
    times(12, (n) => call("replace_in_file", { path: "api.ts", diff: `line ${String(n * 40)}: -v1 +v2` }, "saved")),
    times(15, (n) => bash(`git mv old/${wordOf(n)}.py new/${wordOf(n)}.py`, "")),
    times(10, (n) => [call("create_file", { path: `docs/${wordOf(n)}.md`, file_text: `# ${wordOf(n)}` }, "File created successfully"), bash(`git add docs/${wordOf(n)}.md && git commit -qm "docs: ${wordOf(n)}"`, "")]),
    times(9, (n) => call("insert_edit_into_file", { filePath: "/w/big.cs", code: `// ${wordOf(n)}` }, "The file was edited.")),
  ),
  staysSilent(
    "edit and look, edit and look",
    times(8, (n) => [call("edit_file", { path: "page.html", old: wordOf(n), new: wordOf(n + 1) }, "ok"), call("preview", { path: "page.html" }, `<h1>${wordOf(n + 1)}</h1>`)]),
    times(7, (n) => [call("write_file", { path: "main.py", content: `print(${String(n)})` }, "ok"), bash("python main.py", String(n))]),
    times(6, (n) => [call("Edit", { file_path: "a.tex", old_string: wordOf(n), new_string: wordOf(n + 1) }, "ok"), call("Bash", { command: "latexmk -pdf a.tex" }, "Output written on a.pdf (12 pages)")]),
    times(6, (n) => [call("edit", { path: `r${String(n)}.ts`, old: "a", new: "b" }, "ok"), bash("npx tsc --noEmit", "")]),
    times(5, (n) => [call("Edit", { file_path: "big.ts", old_string: `foo${String(n)}(`, new_string: `bar${String(n)}(` }, "ok"), call("Read", { file_path: "big.ts", offset: n * 30, limit: 30 }, `bar${String(n)}()`), call("Bash", { command: "npm run lint" }, "")]),
  ),
  staysSilent(
    "a few failures on the way",
    [bash("make", "make: *** No rule to make target", red), bash("ls", "CMakeLists.txt"), bash("cmake -B build", "ok"), bash("cmake --build build", "error: missing header z.h", red), bash("apt-get install -y libz-dev", "ok"), bash("cmake --build build", "[100%] Built"), bash("ctest --test-dir build", "100% tests passed")],
    [call("read_file", { path: "src/app.js" }, "ENOENT", failed), call("glob", { pattern: "**/app.*" }, "client/app.tsx"), call("read_file", { path: "client/app.tsx" }, "export"), call("edit_file", { path: "client/app.tsx", old: "x", new: "y" }, "not found", failed), call("edit_file", { path: "client/app.tsx", old: "export", new: "export default" }, "ok")],
    [...["python3.9", "python3.10", "python3.11"].map((name) => bash(`which ${name}`, "", red)), bash("which python3", "/usr/bin/python3"), bash("python3 -V", "3.12")],
    [bash("npm test", "Missing script: test", red), bash("cat package.json", '{"scripts":{"spec":"vitest"}}'), bash("npm run spec", "1 failed", red), call("edit_file", { path: "a.ts", old: "1", new: "2" }, "ok"), bash("npm run spec", "3 passed"), bash("npm run lint", "2 problems", red), call("edit_file", { path: "a.ts", old: ";", new: "" }, "ok"), bash("npm run lint", "")],
  ),
  staysSilent(
    "the user steers",
    times(5, (n) => [user(`make it ${wordOf(n)}`), call("edit_file", { path: "a.css", old: wordOf(n), new: wordOf(n + 1) }, "ok"), bash("npm run build", "built"), text("Done, have a look.")]),
    [user("undo that"), bash("git checkout -- a.ts", ""), user("no, put it back"), call("edit_file", { path: "a.ts", old: "1", new: "2" }, "ok"), user("undo again, sorry"), bash("git checkout -- a.ts", "")],
    times(4, () => [user("run it again"), bash("./simulate", "result 42")]),
    times(4, (n) => [user("continue"), text(`Part ${wordOf(n)} of the story: ${wordOf(n * 3)} met ${wordOf(n * 5)}.`)]),
  ),
  staysSilent(
    "watching a long command",
    times(15, (n) => call("BashOutput", { bash_id: "b3" }, `[${clockOf(n)}] compiled ${String(n * 30)} files`)),
    times(12, (n) => call("write_stdin", { session_id: 4, chars: "" }, `Chunk ID: ${idOf(n).slice(0, 6)}\nWall time: 5.0 seconds\nOutput:\ntest ${wordOf(n)} ... ok`)),
    times(9, (n) => call("command_status", { CommandId: "c" }, `Status: RUNNING\nOutput:\n  downloaded ${String(n * 11)} MB`)),
    times(10, (n) => call("get_terminal_output", { id: "t" }, Array.from({ length: n + 1 }, (_, k) => `✓ ${wordOf(k)}`).join("\n"))),
  ),
];
