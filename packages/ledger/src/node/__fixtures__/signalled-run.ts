// A run that works until it is told to stop.
import { createRun } from "@phasekit/core";
import { storeRun } from "../../store-run.ts";
import { createFileStore, endOnSignals } from "../../node.ts";

const run = createRun();
const stored = storeRun(run, createFileStore(process.argv[2] ?? ""));
endOnSignals(run);
await stored.ready;
setInterval(() => run.record({ type: "turn.started" }), 5);
process.stdout.write("working\n");
