import { createRun } from "@phasekit/core";
import { keepRun } from "/work/h-cli/packages/ledger/src/node/keep-run.ts";
const run = createRun({ id: "served" });
keepRun(run, { folder: process.argv[2], quiet: true });
run.record({ type: "turn.started" });
if (process.argv[3] === "own") process.on("SIGTERM", () => process.exit(7));
process.stdout.write("ready");
setInterval(() => undefined, 1000);
