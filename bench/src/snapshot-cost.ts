import { codingRunOptions } from "@phasekit/coding";
import { createRun, type RunEvent, replayRun } from "@phasekit/core";
import { defineComparison } from "./comparison.ts";
import { measureInterleaved, median, ratio } from "./measure.ts";

const TURNS = 1000;

/** The cost of a snapshot of a long coding run, beside its log. */
export const snapshotCost = defineComparison({
  title: `Snapshots of a coding run of ${TURNS.toLocaleString("en")} turns`,
  baseline: "JSON.parse and replayRun of its log",
  rows: {
    take: { what: "snapshot() and JSON.stringify", unit: "×" },
    continue: { what: "JSON.parse and createRun({ from })", unit: "×" },
  },
  measure: async ({ pause, baseline, row }) => {
    const { run, log } = makeRun(TURNS);
    const lines = log.map((event) => JSON.stringify(event));
    const snapshot = JSON.stringify(run.snapshot());
    const time = await measureInterleaved(
      [
        {
          name: "replay",
          run: () =>
            replayRun(
              lines.map((line) => JSON.parse(line) as unknown),
              options(),
            ),
        },
        { name: "take", run: () => JSON.stringify(run.snapshot()) },
        { name: "continue", run: () => createRun({ ...options(), from: JSON.parse(snapshot) as never }) },
      ],
      { blocks: 31, count: 1, pause },
    );
    baseline(`${(median(time.replay) / 1e6).toFixed(0)} ms`);
    row("take", ratio(time.take, time.replay), `${(median(time.take) / 1e6).toFixed(1)} ms`);
    row("continue", ratio(time.continue, time.replay), `${(median(time.continue) / 1e6).toFixed(1)} ms`);
    const sizes = [100, TURNS, 10 * TURNS].map((turns) => `${kilobytes(turns)} kB after ${turns.toLocaleString("en")}`);
    return [`The log has ${(lines.join("\n").length / 1024).toFixed(0)} kB, the snapshot ${sizes.join(", ")} turns.`];
  },
});

const kilobytes = (turns: number): string => (JSON.stringify(makeRun(turns).run.snapshot()).length / 1024).toFixed(0);

const options = () => codingRunOptions({ mode: "observe", clock: () => 1_790_000_000_000 });

/** A run that reads, searches, edits and tests, with answers of 2 kB. */
function makeRun(turns: number) {
  const run = createRun({ ...options(), id: "bench" });
  const log: RunEvent[] = [];
  run.subscribe((step) => log.push(...step));
  for (let turn = 0; turn < turns; turn += 1) {
    run.beforeTurn();
    run.record({ type: "model.answered", usage: { inputTokens: 1000, outputTokens: 50 } });
    const file = `src/file-${String(turn % 500)}.ts`;
    const call =
      turn % 4 === 0
        ? { tool: "Edit", input: { file_path: file, old_string: `a${String(turn)}`, new_string: `b${String(turn)}` } }
        : turn % 4 === 1
          ? { tool: "Bash", input: { command: "npm test" } }
          : { tool: "Read", input: { file_path: file } };
    const { call: id } = run.beforeTool(call);
    const output = Array.from(
      { length: 40 },
      (_, line) => `const value${String(turn)}_${String(line)} = compute(${String(line)});`,
    );
    run.record({ type: "tool.finished", call: id, outcome: "ok", output: output.join("\n") });
  }
  return { run, log };
}
