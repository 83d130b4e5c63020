import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scene } from "./canary-agents.ts";
import type { DrivenRun } from "./drive-agent.ts";
import { type ModelServer, REPORTED_USAGE, type Step } from "./model-server.ts";

/** One promise, kept or not. */
export interface Check {
  readonly what: string;
  readonly ok: boolean;
  /** The actual result. */
  readonly seen?: string;
}

/** A command that fails, an edit that is right, and the tests of the project. */
export const STUCK = "node -e 'console.error(\"cannot open config\"); process.exit(3)'";
export const EDIT = "sed -i 's/a - b/a + b/' sum.mjs";
export const TEST = "node --test";

/** An edit and a false "done", then the tests and a true one. */
export const finishScript: readonly Step[] = [
  { shell: EDIT },
  { text: "All done." },
  { shell: TEST },
  { text: "All done, the tests pass." },
];

/** Checks as they are made. */
export interface CheckList {
  readonly push: (check: Check) => void;
}

/** Where a stage takes place, and where its checks go. */
export interface Stage {
  readonly scene: Scene;
  readonly server: ModelServer;
  readonly checks: CheckList;
}

/** Writes a project with a failing test. */
export function resetProject({ project }: Scene): void {
  writeFileSync(join(project, "sum.mjs"), "export const sum = (a, b) => a - b;\n");
  const test = [
    'import { test } from "node:test";',
    'import assert from "node:assert";',
    'import { sum } from "./sum.mjs";',
    'test("sum", () => assert.equal(sum(2, 3), 5));',
  ];
  writeFileSync(join(project, "sum.test.mjs"), `${test.join("\n")}\n`);
}

/** Gemini CLI escapes what hooks say. */
export const said = (body: string | undefined): boolean => /(?:<|&lt;)phasekit(?:>|&gt;)/.test(body ?? "");

/** The agent ended by itself. */
export function ended(run: DrivenRun, checks: CheckList, what: string): void {
  const ok = !run.isTimedOut && run.exitCode === 0;
  checks.push({
    what: `${what}: the agent ends by itself (${String(run.requests.length)} requests, ${String(run.durationMs)} ms)`,
    ok,
    ...(!ok && {
      seen: `exit ${String(run.exitCode)}, timed out: ${String(run.isTimedOut)}: ${run.output.slice(-600)}`,
    }),
  });
}

/** The scripted model reports the same usage for each request. */
export function checkTokens(log: string, { requests }: DrivenRun, checks: CheckList): void {
  const answers = log
    .split("\n")
    .filter((line) => line.includes('"type":"model.answered"'))
    .map((line) => JSON.parse(line) as { readonly usage?: { readonly inputTokens?: number } });
  const known = answers.filter(({ usage }) => usage?.inputTokens === REPORTED_USAGE.input).length;
  checks.push({
    what: `the tokens of all ${String(requests.length)} answers are known`,
    ok: known === requests.length && answers.length === known,
    seen: `${String(answers.length)} answers, ${String(known)} with the tokens the model reported`,
  });
}

/** The log of the newest run that no other run started. */
export function readRuns({ home }: Scene): string {
  return newestRun(home, (log) => !isChild(log));
}

/** The log of the newest run of a sub-agent. */
export function childLog({ home }: Scene): string {
  return newestRun(home, isChild);
}

const isChild = (log: string): boolean => /^\{"type":"run\.started".*"parent":\{/m.test(log);

function newestRun(home: string, isWanted: (log: string) => boolean): string {
  const paths = filesIn(join(home, ".phasekit", "runs"))
    .filter((path) => path.endsWith(".jsonl"))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const path of paths) {
    const folder = join(path, "..");
    const log = readdirSync(folder)
      .filter((name) => name.endsWith(".jsonl"))
      .sort()
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("");
    if (isWanted(log)) return log;
  }
  return "";
}

export const tail = (log: string): string => log.slice(-400);

/** The files below a folder. */
export function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
