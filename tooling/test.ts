import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { runExamples } from "./run-examples.ts";
import { TEST_LIST } from "./test-depth.ts";
import { readTestResults } from "./test-results.ts";
import { root } from "./workspace.ts";

/** One part of a list: a program, or a function that says whether all went well. */
type Part = readonly [name: string, run: (() => Promise<boolean>) | readonly string[]];

const vitest = (list: string, ...options: readonly string[]): Part => [
  "tests",
  async () => {
    rmSync(join(root, ".results", `${list}.json`), { force: true });
    const variables = { [TEST_LIST]: list, PHASEKIT_TEST_RUN: list };
    const ended = await start(["node", "node_modules/vitest/vitest.mjs", "run", ...options], variables);
    // Libraries that tests load may end a process with code 0, so the results count too.
    const results = readTestResults(list);
    return ended && results !== undefined && results.passed > 0 && results.failed === 0;
  },
];

/** The parts of `pnpm test`, `pnpm test:full` and `pnpm test:long`; docs/contributing/tests.md has the rule. */
const lists: Readonly<Record<string, readonly Part[]>> = {
  quick: [
    ["types", ["node", "tooling/typecheck.ts"]],
    vitest("quick"),
    ["examples", () => runExamples()],
    ["code blocks of the docs", ["node", "examples/snippets/main.ts"]],
  ],
  full: [["build", ["node", "tooling/start.mjs", "--built"]], vitest("full")],
  long: [
    vitest("long"),
    ["attacks", ["node", "tooling/attacks/run.ts"]],
    ["tarballs", ["pnpm", "tarballs"]],
    ["rehearsal of a release", ["pnpm", "rehearsal"]],
    ["canary", ["pnpm", "canary"]],
    ...["dbos", "restate", "temporal"].map((engine): Part => [engine, ["node", `examples/${engine}/main.ts`, "long"]]),
  ],
  coverage: [vitest("quick", "--coverage")],
};

const name = process.argv[2] ?? "";
const parts = lists[name];
if (parts === undefined) throw new Error(`"${name}" is not a list. Use one of: ${Object.keys(lists).join(", ")}.`);
const failed: string[] = [];
for (const [title, run] of parts) {
  const started = performance.now();
  console.log(`== ${title}`);
  const passed = await (typeof run === "function" ? run() : start(run));
  console.log(
    `== ${title}: ${passed ? "ok" : "FAILED"} after ${((performance.now() - started) / 1000).toFixed(0)} s\n`,
  );
  if (!passed) failed.push(title);
}
if (failed.length > 0) {
  console.error(`failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}

function start([file = "", ...args]: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<boolean> {
  return new Promise((resolve) => {
    const isNode = file === "node";
    const child = spawn(isNode ? process.execPath : file, args, {
      cwd: root,
      env: { ...process.env, ...variables },
      // A shell for the others, because on Windows they are .cmd files.
      shell: !isNode,
      stdio: ["ignore", "inherit", "inherit"],
    });
    child.on("close", (code) => resolve(code === 0));
  });
}
