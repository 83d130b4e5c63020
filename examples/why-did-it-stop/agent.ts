import { budget, codingPhases, createRun } from "@phasekit/core";
import { storeRun } from "@phasekit/ledger";
import { createFileStore } from "@phasekit/ledger/node";

/** Options of the agent's run; a resumed attempt needs the same. */
export const options = { graph: codingPhases, policies: [budget({ turns: 100 })], task: { text: "Read everything" } };

if (process.argv[1] === import.meta.filename) {
  const run = createRun(options);
  const stored = storeRun(run, createFileStore(process.argv[2] ?? ""));
  for (let turn = 0; turn < 50; turn += 1) {
    run.beforeTurn();
    run.record({ type: "model.answered", usage: { inputTokens: 900, outputTokens: 40 } });
    const { call } = run.beforeTool({ tool: "read_file", input: { path: `src/${String(turn)}.ts` } });
    run.record({ type: "tool.finished", call, outcome: "ok", output: "…" });
    await stored.flush();
    if (turn === 5) process.stdout.write("working\n");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
