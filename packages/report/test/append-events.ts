// Another process: continues a run in a store that a page is watching.
import { createRun } from "@phasekit/core";
import { storeRun } from "@phasekit/ledger";
import { createFileStore } from "@phasekit/ledger/node";

const [folder = "", id = ""] = process.argv.slice(2);
const run = createRun({ id, task: { text: "Written by another process" } });
const stored = storeRun(run, createFileStore(folder));
run.beforeTurn();
await stored.flush();
process.stdout.write("started\n");
let busy = true;

/** About fifty events a second, until the input ends. */
async function writeWithoutPause(): Promise<void> {
  for (let count = 0; busy; count += 1) {
    const { call } = run.beforeTool({ tool: "Read", input: { path: `busy-${String(count)}.ts` } });
    run.record({ type: "tool.finished", call, outcome: "ok", output: "" });
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

for await (const line of process.stdin) {
  if (String(line).includes("tool")) {
    const { call } = run.beforeTool({ tool: "Read", input: { path: "seen-live.ts" } });
    run.record({ type: "tool.finished", call, outcome: "ok", output: "" });
    await stored.flush();
  } else if (String(line).includes("busy")) void writeWithoutPause();
  else break;
}
busy = false;
run.end();
await stored.close();
process.stdin.destroy();
