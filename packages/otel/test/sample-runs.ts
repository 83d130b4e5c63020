import { codingRun } from "@phasekit/coding";
import type { Run, RunEvent } from "@phasekit/core";
import { manualClock } from "@phasekit/core/testing";

/** Texts that must not leave the process while text is off. */
export const PRIVATE = [
  "sum-of-salaries",
  "Anna-Perez",
  "private prose",
  "ghp_x8Kq2mVz7Lw9Bt4Yc6Nd1Rf3Hs5Jg0PaUeIo",
] as const;
const [file, person, prose, key] = PRIVATE;

type Step = (run: Run) => void;

const answer =
  (text = "", usage = { inputTokens: 1000, outputTokens: 50, cachedInputTokens: 400 }): Step =>
  (run) => {
    run.beforeTurn();
    run.record({ type: "model.answered", model: "model-1", finishReason: text === "" ? "tool-calls" : "stop", usage });
    if (text !== "") run.record({ type: "message.sent", text });
  };

const call =
  (tool: string, input: object, result: { readonly output?: string; readonly exitCode?: number }): Step =>
  (run) => {
    const { allow, call: id } = run.beforeTool({ tool, input });
    const { output = "", exitCode = 0 } = result;
    if (allow)
      run.record({ type: "tool.finished", call: id, outcome: exitCode === 0 ? "ok" : "error", output, exitCode });
  };

const bash = (command: string, output: string, exitCode = 0): Step => call("bash", { command }, { output, exitCode });
const read: Step = call("read_file", { path: `src/${file}.ts` }, { output: `// ${prose} by ${person}\nreturn a - b;` });
const edit: Step = call("write_file", { path: `src/${file}.ts`, content: "return a + b;" }, { output: "ok" });
const tests: Step = bash("npm test", "Tests  3 passed (3)\n");

/** Runs with everything a trace can show, at fixed times. */
export const sampleRuns: Readonly<Record<string, readonly Step[]>> = {
  /** Reads, edits, is sent back for tests, and ends proven. */
  veto: [
    answer(),
    read,
    answer(),
    edit,
    answer(`Fixed, says ${person}.`),
    (run) => void run.beforeFinish({ text: "Fixed." }),
    answer(),
    tests,
    answer("Done: the tests pass."),
    (run) => void run.beforeFinish({ text: "Done: the tests pass." }),
  ],
  /** The same failing command until Phasekit refuses and stops it. */
  loop: Array.from({ length: 14 }, (): readonly Step[] => [
    answer(),
    bash(`node ${file}.js --key ${key}`, `Error: Cannot find module '${file}.js'`, 1),
  ]).flat(),
  /** A model call that fails, a sub-agent, a person who asks for more, and a host that cancels. */
  mixed: [
    (run) => run.record({ type: "todos.updated", todos: [{ text: prose, status: "pending" }] }),
    answer(),
    read,
    (run) => run.record({ type: "child.started", child: "child-1", task: prose }),
    (run) => run.record({ type: "child.finished", child: "child-1", reason: "done" }),
    (run) => run.record({ type: "message.received", text: `Ask ${person}.`, from: "user" }),
    (run) => void run.beforeTurn(),
    (run) =>
      run.record({ type: "model.failed", model: "model-1", status: 529, code: "overloaded_error", message: prose }),
    (run) => run.end({ reason: "cancelled", summary: prose }),
  ],
};

/** Plays a sample run in mode gate. */
export function logOf(name: string): readonly RunEvent[] {
  const run = codingRun({
    id: `run-${name}`,
    mode: "gate",
    task: { text: `Fix ${file} for ${person}.` },
    clock: manualClock({ start: 1_790_000_000_000, step: 250 }).now,
  });
  const log: RunEvent[] = [];
  run.subscribe((step) => log.push(...step));
  for (const step of sampleRuns[name] ?? []) step(run as unknown as Run);
  run.end();
  return log;
}
