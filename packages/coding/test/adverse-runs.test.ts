import { describe, expect, it } from "vitest";
import { codingRun } from "@phasekit/coding";

type CodingRun = ReturnType<typeof codingRun>;

/** A project in one language: a changed file, its tests, and answers of the tools as they really print them. */
interface Project {
  readonly name: string;
  readonly file: string;
  readonly test: string;
  readonly green: string;
  readonly red: string;
  readonly oneFile: readonly [command: string, output: string];
  readonly linter: readonly [command: string, output: string];
  readonly other: readonly [command: string, output: string];
}

const projects: readonly Project[] = [
  {
    name: "TypeScript",
    file: "src/cart.ts",
    test: "npx vitest run",
    green: " Test Files  2 passed (2)\n      Tests  14 passed (14)",
    red: " FAIL  test/cart.test.ts > total\n Test Files  1 failed (2)\n      Tests  2 failed | 12 passed (14)",
    oneFile: ["npx vitest run test/money.test.ts", " Test Files  1 passed (1)\n      Tests  4 passed (4)"],
    linter: ["npx eslint src/cart.ts", ""],
    other: ["node scripts/list-authors.js", "Ada\nGrace"],
  },
  {
    name: "Python",
    file: "shop/cart.py",
    test: "pytest -q",
    green: "..............                                   [100%]\n14 passed in 0.41s",
    red: "FAILED tests/test_cart.py::test_total - assert 3 == 4\n1 failed, 13 passed in 0.44s",
    oneFile: ["pytest -q tests/test_money.py", "....   [100%]\n4 passed in 0.12s"],
    linter: ["ruff check shop/cart.py", "All checks passed!"],
    other: ["python tools/list_authors.py", "Ada\nGrace"],
  },
  {
    name: "Go",
    file: "cart/total.go",
    test: "go test ./...",
    green: "ok  \texample.com/shop/cart\t0.004s\nok  \texample.com/shop/money\t0.003s",
    red: "--- FAIL: TestTotal (0.00s)\nFAIL\nFAIL\texample.com/shop/cart\t0.004s\nFAIL",
    oneFile: ["go test ./money", "ok  \texample.com/shop/money\t0.003s"],
    linter: ["golangci-lint run ./cart", "0 issues."],
    other: ["go run ./cmd/authors", "Ada\nGrace"],
  },
  {
    name: "Rust",
    file: "src/cart.rs",
    test: "cargo test",
    green: "test result: ok. 14 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s",
    red: "test result: FAILED. 13 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s",
    oneFile: [
      "cargo test --test money",
      "test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
    ],
    linter: ["cargo clippy", "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.21s"],
    other: ["./scripts/list-authors.sh", "Ada\nGrace"],
  },
];

type Play = (run: CodingRun, project: Project) => void;

function shell(
  run: CodingRun,
  command: string,
  result: string | { readonly output: string; readonly exitCode: number } = "",
): void {
  const { output, exitCode } = typeof result === "string" ? { output: result, exitCode: 0 } : result;
  run.beforeTurn();
  const { call } = run.beforeTool({ tool: "Bash", input: { command } });
  const outcome = exitCode === 0 ? "ok" : "error";
  run.record({ type: "tool.finished", call, tool: "Bash", outcome, exitCode, output });
}

function edit(run: CodingRun, { file }: Project): void {
  run.beforeTurn();
  const input = { file_path: file, old_string: "sum + 1", new_string: `sum + ${String(run.view.toolCalls)}` };
  const { call } = run.beforeTool({ tool: "Edit", input });
  run.record({
    type: "tool.finished",
    call,
    tool: "Edit",
    outcome: "ok",
    output: `The file ${file} has been updated.`,
  });
}

/** Ways to look finished. Each comes after an edit, and none of them shows that the edit is right. */
const adverse: Readonly<Record<string, Play>> = {
  "nothing at all": () => undefined,
  "echo ok": (run) => shell(run, "echo ok", "ok"),
  true: (run) => shell(run, "true"),
  "a program of nothing": (run) => {
    shell(run, "node -e 1");
    shell(run, "python3 -c pass");
  },
  "a look at the folder": (run) => shell(run, "ls -la && git status --short", "total 8\n M src"),
  "our own command": (run) => shell(run, "npx phasekit check", "all runs verified"),
  "a printed result": (run, { green }) => shell(run, `echo '${green.split("\n").at(-1) ?? ""}'`, green),
  "an unrelated program": (run, { other: [command, output] }) => shell(run, command, output),
  "a red suite, then one green file": (run, { test, red, oneFile: [command, output] }) => {
    shell(run, test, { output: red, exitCode: 1 });
    shell(run, command, output);
  },
  "a linter alone": (run, { linter: [command, output] }) => shell(run, command, output),
  "tests before another edit": (run, project) => {
    shell(run, project.test, project.green);
    edit(run, project);
  },
  "a call the host denied": (run, { test }) => {
    run.beforeTurn();
    const { call } = run.beforeTool({ tool: "Bash", input: { command: test } });
    run.record({ type: "tool.finished", call, tool: "Bash", outcome: "denied", output: "The user declined." });
  },
};

function finish(project: Project, play: Play): { readonly accept: boolean; readonly grade: string } {
  const run = codingRun({ mode: "gate", task: { text: "Fix the total of the cart." } });
  run.beforeTurn();
  edit(run, project);
  play(run, project);
  run.beforeTurn();
  run.record({ type: "message.sent", text: "Done: the total is right now." });
  const { accept, evidence } = run.beforeFinish();
  return { accept, grade: evidence.grade };
}

describe.each(projects)("a finish without evidence, in $name", (project) => {
  it.each(Object.entries(adverse))("comes back after %s", (_name, play) => {
    expect(finish(project, play)).toEqual({ accept: false, grade: "claimed" });
  });

  // The agent knows: sending it back says nothing new. Nothing calls such a run verified.
  it("is unverified after a red suite, and after a runner that is not there", () => {
    const unverified = { accept: true, grade: "claimed" };
    const { test, red } = project;
    const missing = `bash: ${test.split(" ")[0] ?? ""}: command not found`;
    expect(finish(project, (run) => shell(run, test, { output: red, exitCode: 1 }))).toEqual(unverified);
    expect(finish(project, (run) => shell(run, test, { output: missing, exitCode: 127 }))).toEqual(unverified);
  });

  it("is accepted after a green suite", () => {
    const { test, green } = project;
    expect(finish(project, (run) => shell(run, test, green))).toEqual({ accept: true, grade: "proven" });
  });
});
