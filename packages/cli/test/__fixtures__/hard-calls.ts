import type { CallCheck } from "@phasekit/core/account";

/** A call whose host, exit code and answer do not say the same, and what it really did. */
export interface HardCall {
  readonly name: string;
  readonly tool: string;
  readonly input: object;
  readonly outcome?: "ok" | "error" | "denied";
  readonly exitCode?: number;
  readonly output: unknown;
  readonly failed: boolean;
  /** Files it changed. */
  readonly changes?: readonly string[];
  readonly check?: Pick<CallCheck, "kind" | "verdict">;
}

const shell = (command: string): { readonly tool: string; readonly input: object } => ({
  tool: "Bash",
  input: { command },
});
const edit = (file: string): { readonly tool: string; readonly input: object } => ({
  tool: "Edit",
  input: { file_path: file, old_string: "a", new_string: "b" },
});

/** Calls that readers of logs got wrong in different ways. */
export const hardCalls: readonly HardCall[] = [
  {
    name: "a failing command called ok, with an exit code",
    ...shell("node build.mjs"),
    exitCode: 1,
    output: "Error: no entry point",
    failed: true,
    check: { kind: "run", verdict: "fail" },
  },
  {
    name: "a failing command called ok, with its code in an object",
    ...shell("node build.mjs"),
    output: { stdout: "", stderr: "boom", exit_code: 3 },
    failed: true,
    check: { kind: "run", verdict: "fail" },
  },
  {
    name: "a failing command called ok, with its code in the text",
    ...shell("node build.mjs"),
    output: "Exit code 1\nError: no entry point",
    failed: true,
    check: { kind: "run", verdict: "fail" },
  },
  {
    name: "an answer in JSON with an exit code",
    tool: "deploy",
    input: { target: "staging" },
    output: '{"exit_code":1,"log":"no such target"}',
    failed: true,
  },
  {
    name: "an answer that says success: false",
    tool: "create_ticket",
    input: { title: "x" },
    output: { success: false, message: "quota" },
    failed: true,
  },
  {
    name: "an answer that says ok: false",
    tool: "create_ticket",
    input: { title: "x" },
    output: '{"ok":false}',
    failed: true,
  },
  {
    name: "an answer whose error is null",
    tool: "create_ticket",
    input: { title: "x" },
    output: { id: 7, error: null },
    failed: false,
  },
  { name: "a search without a match", ...shell("grep -rn needle src"), exitCode: 1, output: "", failed: false },
  {
    name: "a search without a match that its host calls an error",
    ...shell("grep -rn needle src"),
    outcome: "error",
    exitCode: 1,
    output: "Exit code 1",
    failed: false,
  },
  { name: "files that differ", ...shell("diff a.txt b.txt"), exitCode: 1, output: "1c1\n< a\n---\n> b", failed: false },
  {
    name: "a missing file in a shell",
    ...shell("cat src/missing.ts"),
    outcome: "error",
    exitCode: 1,
    output: "Exit code 1\ncat: src/missing.ts: No such file or directory",
    failed: true,
  },
  {
    name: "a missing file of a tool that calls it ok",
    tool: "Read",
    input: { file_path: "src/missing.ts" },
    output: "Error: File does not exist.",
    failed: true,
  },
  {
    name: "a file that speaks of errors",
    tool: "Read",
    input: { file_path: "src/errors.ts" },
    output: "1→export class NotFoundError extends Error {}\n2→// error: none",
    failed: false,
  },
  {
    name: "an edit that was made, with a failed flag",
    ...edit("src/a.ts"),
    outcome: "error",
    output: "The file src/a.ts has been edited.",
    failed: false,
    changes: ["src/a.ts"],
  },
  {
    name: "an edit that was not made, called ok",
    ...edit("src/a.ts"),
    output: "Error: String to replace not found in file.",
    failed: true,
  },
  {
    name: "an edit the user refused",
    ...edit("src/a.ts"),
    outcome: "denied",
    output: "The user doesn't want to proceed with this tool use.",
    failed: false,
  },
  {
    name: "findings of a linter",
    ...shell("npx eslint src"),
    outcome: "error",
    exitCode: 1,
    output: "Exit code 1\nsrc/a.ts\n  1:1  error  Unexpected console\n\n✖ 1 problem (1 error, 0 warnings)",
    failed: false,
    check: { kind: "lint", verdict: "fail" },
  },
  {
    name: "a linter that is not there",
    ...shell("npx eslint src"),
    outcome: "error",
    exitCode: 127,
    output: "Exit code 127\nsh: eslint: command not found",
    failed: true,
    check: { kind: "lint", verdict: "unknown" },
  },
  {
    name: "a formatter that lists what is wrong and ends with 0",
    ...shell("gofmt -l ."),
    exitCode: 0,
    output: "main.go\n",
    failed: false,
    check: { kind: "lint", verdict: "fail" },
  },
  {
    name: "tests that fail",
    ...shell("npx vitest run"),
    exitCode: 1,
    output: " Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)",
    failed: true,
    check: { kind: "test", verdict: "fail" },
  },
  {
    name: "tests that fail behind a pipe",
    ...shell("npx vitest run | tail -5"),
    exitCode: 0,
    output: " Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)",
    failed: true,
    check: { kind: "test", verdict: "fail" },
  },
  {
    name: "a type check that finds nothing behind a pipe",
    ...shell("npx tsc --noEmit 2>&1 | head -20"),
    exitCode: 0,
    output: "",
    failed: false,
    check: { kind: "types", verdict: "pass" },
  },
  {
    name: "a commit whose hook runs the tests",
    ...shell('git commit -m "x"'),
    exitCode: 0,
    output: "$ bun test\n\n 12 pass\n 0 fail\nRan 12 tests across 2 files. [1.00s]\n[main 1a2b3c4] x\n 1 file changed",
    failed: false,
    check: { kind: "hook", verdict: "pass" },
  },
  {
    name: "a commit that its hook refuses",
    ...shell('git commit -m "x"'),
    outcome: "error",
    exitCode: 1,
    output:
      "Exit code 1\nruff.....................................................................Failed\n- hook id: ruff",
    failed: true,
    check: { kind: "hook", verdict: "fail" },
  },
  { name: "a word that proves nothing", ...shell("echo ok"), exitCode: 0, output: "ok", failed: false },
  { name: "a program that does nothing", ...shell("true"), exitCode: 0, output: "", failed: false },
  { name: "code that does nothing", ...shell("node -e 1"), exitCode: 0, output: "", failed: false },
  { name: "a module that does nothing", ...shell("python -c pass"), exitCode: 0, output: "", failed: false },
  { name: "a list of files", ...shell("ls src"), exitCode: 0, output: "a.ts", failed: false },
  { name: "our own command", ...shell("phasekit waive tests-fresh"), exitCode: 0, output: "Done.", failed: false },
];
