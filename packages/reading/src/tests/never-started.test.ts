import { describe, expect, it } from "vitest";
import { interpret } from "../__fixtures__/interpret.ts";

describe("a runner that never started", () => {
  it.each<[command: string, exitCode: number | undefined, output: string]>([
    ["./mvnw test", 1, "Error: JAVA_HOME is not defined correctly.\n  We cannot execute /opt/jdk/bin/java"],
    ["./gradlew test", 1, "\nERROR: JAVA_HOME is not set and no 'java' command could be found in your PATH.\n"],
    ["rtk bun run test", 2, "error: unrecognized subcommand 'bun'\n\nUsage: rtk [OPTIONS] <COMMAND>"],
    ["rtk bun run test | tail -5", undefined, "error: unrecognized subcommand 'bun'\n\nUsage: rtk [OPTIONS]"],
    ["cargo nextest run", 101, "error: no such command: `nextest`"],
    ["npm test", 1, "throw err;\n  ^\n\nError: Cannot find module 'node:path'\nRequire stack:\n- npm-cli.js"],
    ["pnpm test", 1, " ERR_PNPM_UNSUPPORTED_ENGINE  Unsupported environment\n\nGot: v14.16.0"],
    ["pytest tests", 127, "bash: pytest: command not found\n[Command finished with exit code 127]"],
    ["pytest tests", undefined, "bash: pytest: command not found\n[Command finished with exit code 127]"],
    ["npm test", 127, "sh: 1: jest: not found\nnpm ERR! Test failed.  See above for more details."],
    ["make test", 2, "/bin/sh: pytest: command not found\nmake: *** [test] Error 127"],
    ["python3 manage.py test", 2, "python3: can't open file 'manage.py': [Errno 2] No such file or directory"],
    ["pytest -q a.py::b", 4, "ERROR: not found: /app/a.py::b\n(no name '/app/a.py::b')"],
    ["npm test", 1, "The user doesn't want to proceed with this tool use. The tool use was rejected."],
  ])("%s, exit code %s, has no verdict: %j", (...[command, exitCode, output]) => {
    const result = { outcome: exitCode === undefined ? "ok" : "error", output } as const;
    const { tests } = interpret(
      { tool: "bash", input: { command } },
      exitCode === undefined ? result : { ...result, exitCode },
    );
    expect(tests?.verdict).toBe("unknown");
  });

  it.each<[command: string, output: string]>([
    ["./run_tests.sh", "2 failed, 1 passed\ncat: x: No such file or directory"],
    ["pytest", "FAILED a.py::b - FileNotFoundError: No such file or directory\n1 failed in 0.1s"],
    ["cargo test", "error[E0583]: file not found\nerror: could not compile `a`"],
  ])("%s with failing tests is red, whatever words its output holds: %j", (command, output) => {
    const meaning = interpret({ tool: "bash", input: { command } }, { outcome: "error", output, exitCode: 1 });
    expect(meaning.tests?.verdict).toBe("fail");
  });

  it("does not count as trying a program out", () => {
    const meaning = interpret(
      { tool: "bash", input: { command: "DISCUSSION" } },
      { outcome: "error", output: "bash: DISCUSSION: command not found\n" },
    );
    expect(meaning.notes).not.toHaveProperty("program");
  });
});
