// A run that works until it is told to stop.
import { createRun } from "@phasekit/core";
import { archiveRun } from "../../archive-run.ts";
import { createFileStore, endOnSignals } from "../../node.ts";

const run = createRun();
const archive = archiveRun(run, createFileStore(process.argv[2] ?? ""));
endOnSignals(run, { archive });
await archive.ready;
setInterval(() => run.record({ type: "turn.started" }), 5);
process.stdout.write("working\n");
