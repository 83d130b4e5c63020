import { expect, it } from "vitest";
import { codingRun } from "./coding-run.ts";

/** E for exploring, A for acting, V for verifying; "-" where a person would not say. */
type Label = "E" | "A" | "V" | "-";
type Row = readonly [label: Label, tool: string, input: unknown, output?: string];

const sh = (label: Label, command: string, output = ""): Row => [label, "execute_bash", { command }, output];
/** A call of OpenHands' editor; the last two are further arguments and the answer. */
const ed = (
  ...[label, command, path, more = {}, output = ""]: readonly [
    label: Label,
    command: string,
    path: string,
    more?: object,
    output?: string,
  ]
): Row => [label, "str_replace_editor", { command, path, ...more }, output];
const cell = (label: Label, code: string, output = ""): Row => [label, "execute_ipython_cell", { code }, output];
const view = (path: string, label: Label = "E"): Row => ed(label, "view", path);
const create = (label: Label, path: string, output = `File created successfully at: ${path}`): Row =>
  ed(label, "create", path, { file_text: "import x\nprint(x)\n" }, output);
const fix = (path: string, label: Label = "A"): Row =>
  ed(label, "str_replace", path, { old_str: "a", new_str: "b" }, `The file ${path} has been edited.`);
const noFix = (path: string, label: Label = "A"): Row =>
  ed(
    label,
    "str_replace",
    path,
    { old_str: "a", new_str: "b" },
    "ERROR:\nNo replacement was performed, old_str `a` did not appear verbatim in " + path,
  );
const R = "/workspace/django__django__3.1";
const S = "/workspace/sympy__sympy__1.8";

// Short runs as the agents make them, each step with what a person would call it alone.
const RUNS: Readonly<Record<string, readonly Row[]>> = {
  "reproduce with python -c, then fix and run it again": [
    view(R),
    sh("E", `cd ${R} && grep -rn 'def cleanse' django`),
    view(`${R}/django/views/debug.py`),
    sh(
      "V",
      `cd ${R} && python3 -c "from django.views.debug import x; print(x(1))"`,
      'Traceback (most recent call last):\n  File "<string>", line 1\nValueError\n[Command finished with exit code 1]',
    ),
    view(`${R}/django/views/debug.py`),
    fix(`${R}/django/views/debug.py`),
    sh(
      "V",
      `cd ${R} && python3 -c "from django.views.debug import x; print(x(1))"`,
      "1\n[Command finished with exit code 0]",
    ),
  ],
  "a script of its own called test.py": [
    sh("E", `ls ${R}`),
    create("V", `${R}/test.py`),
    sh("V", `cd ${R} && python test.py`, "boom\n[Command finished with exit code 1]"),
    view(`${R}/django/a.py`),
    fix(`${R}/django/a.py`),
    sh("V", `cd ${R} && python test.py`, "fine\n[Command finished with exit code 0]"),
  ],
  "edits that do not match": [
    view(`${R}/django/a.py`),
    noFix(`${R}/django/a.py`),
    view(`${R}/django/a.py`),
    noFix(`${R}/django/a.py`),
    view(`${R}/django/a.py`),
    fix(`${R}/django/a.py`),
    sh("V", `cd ${R} && ./tests/runtests.py a`, "Ran 3 tests in 0.1s\n\nOK\n[Command finished with exit code 0]"),
  ],
  "fix first, then a script with edge cases, then the test suite": [
    sh("E", `find ${R} -name query.py`),
    view(`${R}/django/db/query.py`),
    fix(`${R}/django/db/query.py`),
    create("V", `${R}/test_fix.py`),
    sh("V", `python ${R}/test_fix.py`, "ok"),
    create("V", `${R}/edge_cases.py`),
    sh("V", `cd ${R} && python edge_cases.py`, "ok"),
    sh("V", `cd ${R}/tests && ./runtests.py queries`, "Ran 300 tests in 3.1s\n\nOK"),
  ],
  "the reproduction is changed until it works": [
    create("V", `${R}/reproduce_issue.py`),
    sh("V", `cd ${R} && python reproduce_issue.py`, "ImportError\n[Command finished with exit code 1]"),
    ed("V", "str_replace", `${R}/reproduce_issue.py`, { old_str: "a", new_str: "b" }, "The file has been edited."),
    sh("V", `cd ${R} && python reproduce_issue.py`, "wrong\n[Command finished with exit code 0]"),
    sh("E", `cd ${R} && grep -n foo django/a.py`),
    fix(`${R}/django/a.py`),
    sh("V", `cd ${R} && python reproduce_issue.py`, "right"),
  ],
  "heredoc reproduction in one line": [
    sh("E", "ls /testbed"),
    sh(
      "V",
      "cd /testbed && cat > repro.py <<'EOF'\nimport astropy\nprint(astropy)\nEOF\npython repro.py",
      "Traceback\n[Command finished with exit code 1]",
    ),
    sh("E", "sed -n '1,80p' /testbed/astropy/a.py"),
    sh("A", "cd /testbed && sed -i 's/a/b/' astropy/a.py"),
    sh("V", "cd /testbed && python repro.py && python -m pytest astropy/tests -q", "3 passed in 0.1s"),
  ],
  "python heredoc as the editor": [
    sh("E", "cat /testbed/src/a.py"),
    sh(
      "A",
      "cd /testbed && python - <<'EOF'\np='src/a.py'\ns=open(p).read()\ns=s.replace('a','b')\nopen(p,'w').write(s)\nEOF",
    ),
    sh(
      "V",
      "cd /testbed && python -m pytest -q tests/test_a.py",
      "1 failed, 2 passed in 0.1s\n[Command finished with exit code 1]",
    ),
    sh("E", "sed -n '10,40p' /testbed/src/a.py"),
    sh(
      "A",
      "cd /testbed && python3 - <<'EOF'\nimport re\np='src/a.py'\ns=open(p).read()\nopen(p,'w').write(re.sub('x','y',s))\nEOF",
    ),
    sh("V", "cd /testbed && python -m pytest -q tests/test_a.py", "3 passed in 0.1s"),
  ],
  "notebook cells": [
    cell("E", "open_file('/workspace/a.py')"),
    cell("E", "search_dir('foo', '/workspace')"),
    cell("A", "edit_file_by_replace('/workspace/a.py', to_replace='a', new_content='b')"),
    cell("V", "import sys\nsys.path.insert(0, '/workspace')\nimport a\nprint(a.f(1))", "2"),
    cell("V", "!cd /workspace && pytest -q", "3 passed in 0.1s"),
  ],
  "undo and another try": [
    view(`${R}/django/a.py`),
    fix(`${R}/django/a.py`),
    sh("V", `cd ${R} && python -m pytest tests/a -q`, "2 failed in 0.1s\n[Command finished with exit code 1]"),
    ed("A", "undo_edit", `${R}/django/a.py`, {}, "Last edit undone successfully."),
    view(`${R}/django/b.py`, "-"),
    fix(`${R}/django/b.py`),
    sh("V", `cd ${R} && python -m pytest tests/a -q`, "2 passed in 0.1s"),
  ],
  "tests first, to see where things stand": [
    sh("-", "npm test", "Tests:       1 failed, 2 passed, 3 total"),
    sh("E", "cat src/a.js"),
    ed("A", "insert", "/app/src/a.js", { insert_line: 3, new_str: "x" }, "The file has been edited."),
    sh("V", "npm test", "Tests:       3 passed, 3 total"),
    sh("-", "git add -A && git commit -m fix"),
  ],
  "builds as checks": [
    sh("E", "rg -n foo src"),
    fix("/app/src/a.c"),
    sh("V", "make", "a.c:3: error: x\nmake: *** [a.o] Error 1\n[Command finished with exit code 2]"),
    view("/app/src/a.h"),
    fix("/app/src/a.c"),
    sh("V", "make && ./app", "[Command finished with exit code 0]"),
  ],
  "TypeScript with tsx": [
    sh("E", "cat src/parse.ts"),
    create("V", "/app/repro.ts"),
    sh("V", "cd /app && npx tsx repro.ts", "undefined"),
    fix("/app/src/parse.ts"),
    sh("V", "cd /app && npx tsx repro.ts && npx vitest run", " Test Files  1 passed (1)\n      Tests  3 passed (3)"),
    sh("-", "rm /app/repro.ts"),
  ],
  "OpenHands: bin/test as the check": [
    sh("E", `cd ${S} && git log --oneline -3`),
    ed("E", "view", `${S}/sympy/core/basic.py`, { view_range: [1, 80] }),
    ed("A", "insert", `${S}/sympy/core/basic.py`, { insert_line: 10, new_str: "x" }, "The file has been edited."),
    sh(
      "V",
      `cd ${S} && bin/test sympy/core/tests/test_basic.py`,
      "=== tests finished: 19 passed, 1 failed, in 0.42 seconds ===\nDO *NOT* COMMIT!\n[Command finished with exit code 1]",
    ),
    sh("E", `cd ${S} && sed -n '1,40p' sympy/core/tests/test_basic.py`),
    ed("A", "str_replace", `${S}/sympy/core/basic.py`, { old_str: "a", new_str: "b" }, "The file has been edited."),
    sh(
      "V",
      `cd ${S} && bin/test sympy/core/tests/test_basic.py`,
      "=== tests finished: 20 passed, in 0.42 seconds ===\n[Command finished with exit code 0]",
    ),
  ],
  "OpenHands: a settings file and a script for Django": [
    sh("E", "cd /workspace && grep -rn 'class Choices' --include=*.py ."),
    ed(
      "V",
      "create",
      "/workspace/django__django__4.0/reproduce_error.py",
      { file_text: "import django" },
      "File created successfully",
    ),
    sh(
      "V",
      "cd /workspace/django__django__4.0 && python reproduce_error.py",
      "django.core.exceptions.ImproperlyConfigured\n[Command finished with exit code 1]",
    ),
    ed(
      "V",
      "str_replace",
      "/workspace/django__django__4.0/reproduce_error.py",
      { old_str: "q", new_str: "r" },
      "ERROR:\nNo replacement was performed",
    ),
    ed("E", "view", "/workspace/django__django__4.0/reproduce_error.py"),
    ed(
      "V",
      "str_replace",
      "/workspace/django__django__4.0/reproduce_error.py",
      { old_str: "a", new_str: "r" },
      "The file has been edited.",
    ),
    sh("V", "cd /workspace/django__django__4.0 && python reproduce_error.py", "ok"),
  ],
  "OpenHands: looks for a while after the fix": [
    ed("A", "str_replace", `${S}/sympy/a.py`, { old_str: "a", new_str: "b" }, "The file has been edited."),
    sh(
      "V",
      `cd ${S} && python -c "from sympy import a; a()"`,
      "Traceback (most recent call last):\n[Command finished with exit code 1]",
    ),
    sh("E", `cd ${S} && grep -rn 'def a' sympy`),
    ed("E", "view", `${S}/sympy/b.py`),
    ed("E", "view", `${S}/sympy/c.py`),
    ed("A", "str_replace", `${S}/sympy/c.py`, { old_str: "a", new_str: "b" }, "The file has been edited."),
    sh("V", `cd ${S} && python3 - <<'EOF'\nfrom sympy import *\nprint(a())\nEOF`, "1"),
  ],
  "OpenHands: a test added to the suite is work": [
    ed("E", "view", `${S}/sympy/a.py`),
    ed("A", "str_replace", `${S}/sympy/a.py`, { old_str: "a", new_str: "b" }, "The file has been edited."),
    ed("A", "str_replace", `${S}/sympy/tests/test_a.py`, { old_str: "a", new_str: "b" }, "The file has been edited."),
    sh("V", `cd ${S} && python -m pytest sympy/tests/test_a.py`, "=== 3 passed in 0.1s ==="),
    sh("-", `cd ${S} && git diff`),
  ],
  "SWE-agent: commands of its shell": [
    ["E", "bash", { command: "find_file 'fields.py' src" }],
    [
      "E",
      "bash",
      { command: "open src/marshmallow/fields.py 1474" },
      "[File: src/marshmallow/fields.py (1997 lines total)]",
    ],
    ["V", "bash", { command: "create reproduce.py" }, "[File: reproduce.py (1 lines total)]"],
    ["V", "bash", { command: "python reproduce.py" }, "344"],
    [
      "A",
      "bash",
      { command: "edit 1475:1475\n        x = 1\nend_of_edit" },
      "[File: src/marshmallow/fields.py]\nFile updated.",
    ],
    ["V", "bash", { command: "python reproduce.py" }, "345"],
    ["-", "bash", { command: "rm reproduce.py" }],
    ["-", "bash", { command: "submit" }],
  ],
  "mini-swe-agent: everything in the shell": [
    ["E", "bash", { command: "ls -la && cat README.md | head -40" }],
    ["E", "bash", { command: "grep -rn 'foo' src/ | head" }],
    [
      "V",
      "bash",
      { command: "cat <<'EOF' > /tmp/t.py\nfrom pkg import foo\nassert foo(1) == 2\nEOF\npython /tmp/t.py" },
      "<returncode>1</returncode>\n<output>\nAssertionError\n</output>",
    ],
    [
      "A",
      "bash",
      { command: "sed -i 's/return x/return x + 1/' src/pkg/foo.py && git diff" },
      "<returncode>0</returncode>\n<output>\n-x\n+x + 1\n</output>",
    ],
    ["V", "bash", { command: "python /tmp/t.py && echo OK" }, "<returncode>0</returncode>\n<output>\nOK\n</output>"],
    [
      "V",
      "bash",
      { command: "python -m pytest -q 2>&1 | tail -5" },
      "<returncode>0</returncode>\n<output>\n12 passed in 0.3s\n</output>",
    ],
  ],
  "Codex: patch and cargo": [
    ["E", "shell", { command: ["bash", "-lc", "rg -n 'fn parse' -g '*.rs'"] }],
    ["E", "shell", { command: ["bash", "-lc", "sed -n '1,200p' src/parse.rs"] }],
    [
      "A",
      "apply_patch",
      "*** Begin Patch\n*** Update File: src/parse.rs\n@@\n-a\n+b\n*** End Patch",
      "Success. Updated the following files:\nM src/parse.rs",
    ],
    [
      "V",
      "shell",
      { command: ["bash", "-lc", "cargo test -q 2>&1 | tail -20"] },
      "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out",
    ],
    ["E", "shell", { command: ["bash", "-lc", "sed -n '200,260p' src/parse.rs"] }],
    ["A", "apply_patch", "*** Begin Patch\n*** Update File: src/parse.rs\n@@\n-b\n+c\n*** End Patch", "Success."],
    [
      "V",
      "shell",
      { command: ["bash", "-lc", "cargo test -q && cargo clippy"] },
      "test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out",
    ],
  ],
  "Claude Code: todo list, edits, lint and tests": [
    ["E", "Grep", { pattern: "foo", path: "src" }],
    ["E", "Read", { file_path: "/app/src/a.ts" }],
    [
      "-",
      "TodoWrite",
      {
        todos: [
          { content: "fix a", status: "pending" },
          { content: "test", status: "pending" },
        ],
      },
    ],
    [
      "A",
      "Edit",
      { file_path: "/app/src/a.ts", old_string: "a", new_string: "b" },
      "The file /app/src/a.ts has been updated.",
    ],
    ["A", "Write", { file_path: "/app/src/b.ts", content: "x" }, "File created successfully"],
    ["V", "Bash", { command: "npx tsc --noEmit" }, ""],
    ["V", "Bash", { command: "npm test -- --run" }, " Test Files  1 passed (1)\n      Tests  3 passed (3)"],
    ["-", "Bash", { command: "git commit -am wip" }],
  ],
  "Claude Code: an edit without having read the file": [
    ["E", "Glob", { pattern: "**/*.py" }],
    [
      "A",
      "Edit",
      { file_path: "/app/a.py", old_string: "a", new_string: "b" },
      "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>",
    ],
    ["E", "Read", { file_path: "/app/a.py" }],
    ["A", "Edit", { file_path: "/app/a.py", old_string: "a", new_string: "b" }, "The file /app/a.py has been updated."],
    ["V", "Bash", { command: "uv run pytest -q" }, "3 passed in 0.1s"],
  ],
  "Gemini CLI: go": [
    ["E", "read_many_files", { paths: ["a.go", "b.go"] }],
    ["E", "search_file_content", { pattern: "func Parse" }],
    ["A", "replace", { file_path: "/app/a.go", old_string: "a", new_string: "b" }, "Successfully modified file"],
    [
      "V",
      "run_shell_command",
      { command: "go build ./... && go test ./..." },
      "Output: ok  \texample.com/a\t0.01s\nExit Code: 0",
    ],
    ["A", "write_file", { file_path: "/app/c.go", content: "package a" }, "Successfully created"],
    ["V", "run_shell_command", { command: "go vet ./..." }, "Output: (empty)\nExit Code: 0"],
  ],
  "Cline: npm": [
    ["E", "list_files", { path: "src" }],
    ["E", "read_file", { path: "src/a.js" }],
    [
      "A",
      "replace_in_file",
      { path: "src/a.js", diff: "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE" },
      "The content was successfully saved",
    ],
    ["V", "execute_command", { command: "npm run build && npm test" }, "Tests:       1 failed, 1 total"],
    ["A", "write_to_file", { path: "src/a.js", content: "x" }, "saved"],
    ["V", "execute_command", { command: "npm test" }, "Tests:       1 passed, 1 total"],
  ],
};

const PHASES = { E: "exploring", A: "acting", V: "verifying" } as const;

it.each(Object.entries(RUNS))("%s", (_name, rows) => {
  const { run, take } = codingRun();
  const found = rows.map(([label, tool, args, output = ""]) => {
    take({ tool, args, output });
    return label === "-" ? "-" : run.view.phase;
  });
  expect(found).toEqual(rows.map(([label]) => (label === "-" ? "-" : PHASES[label])));
});
