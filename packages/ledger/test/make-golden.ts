// Writes the golden log of the present format into test/golden. Run it once per format version, never for an old one:
// node test/make-golden.ts v2 (since v3: `pnpm -C bench golden v3`, which plays runs of all packages)
// With the name "newer" it writes the log of a version that does not exist yet, into test/newer.
import { budget, codingPhases, createRun, type RunEvent } from "@phasekit/core";
import { existsSync, writeFileSync } from "node:fs";
import { storeRun, readRun, summarizeRun } from "../src/index.ts";
import { createFileStore } from "../src/node.ts";

const name = process.argv[2] ?? "new";
const root = `${import.meta.dirname}/${name === "newer" ? name : `golden/${name}`}`;
if (existsSync(root)) throw new Error(`${root} is kept for ever; choose another name.`);
let time = 1_700_000_000_000;
const clock = (): number => (time += 10);
const store = createFileStore(root, {
  clock,
  segmentBytes: 2000,
  processes: {
    self: () => ({ pid: 1, start: "1", boot: "b", host: "golden", space: "", nonce: "golden" }),
    isGone: () => true,
  },
});
const run = createRun({
  id: "golden",
  graph: codingPhases,
  clock,
  policies: [budget({ turns: 20 })],
  task: { text: "A log that is kept for ever." },
});
const stored = storeRun(run, store);
for (let turn = 0; turn < 6; turn += 1) {
  run.beforeTurn();
  run.record({
    type: "model.answered",
    usage: { inputTokens: 100 * turn, outputTokens: 10, cachedInputTokens: 50 * turn },
  });
  const { call } = run.beforeTool({ tool: "Read", input: { path: `src/${String(turn)}.ts` } });
  run.record({
    type: "tool.finished",
    call,
    outcome: turn === 3 ? "error" : "ok",
    output: `ünï 💡 ${"x".repeat(turn * 40)}`,
  });
  if (turn === 3) run.transition("acting", { by: "agent", why: "enough was read" });
  await stored.flush();
}
run.record({ type: "check.finished", check: "compile", outcome: "failure", count: 2, first: "TS2304" });
run.end({ reason: "interrupted", error: new Error("stopped") });
await stored.close();
if (name === "newer") {
  const { length } = await readRun(store, "golden");
  const resumed = { type: "run.resumed", seq: length + 1, at: clock(), attempt: 2, v: 99 } as unknown as RunEvent;
  await store.append(
    "golden",
    [resumed, { type: "turn.started", seq: length + 2, at: clock(), turn: 7 } as unknown as RunEvent],
    { after: length },
  );
}
await store.close();
if (name !== "newer")
  writeFileSync(
    `${root}/summary.json`,
    `${JSON.stringify(summarizeRun(await readRun(store, "golden")), undefined, 2)}\n`,
  );
