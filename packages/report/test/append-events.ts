// Another process: continues a run in a store that a page is watching.
import { createRun } from "@phasekit/core";
import { archiveRun } from "@phasekit/ledger";
import { createFileStore } from "@phasekit/ledger/node";

const [folder = "", id = ""] = process.argv.slice(2);
const run = createRun({ id, task: { text: "Written by another process" } });
const archive = archiveRun(run, createFileStore(folder));
run.beforeTurn();
await archive.flush();
process.stdout.write("started\n");
for await (const line of process.stdin) {
  if (String(line).includes("tool")) {
    const { call } = run.beforeTool({ tool: "Read", input: { path: "seen-live.ts" } });
    run.record({ type: "tool.finished", call, outcome: "ok", output: "" });
    await archive.flush();
  } else break;
}
run.end();
await archive.close();
process.stdin.destroy();
