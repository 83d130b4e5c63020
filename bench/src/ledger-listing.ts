import type { RunEvent } from "@phasekit/core";
import { createFileStore, type FileStore, nodeFileSystem } from "@phasekit/ledger/node";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineComparison } from "./comparison.ts";
import { createEventSource, inFolder, logFile } from "./ledger-events.ts";
import { measureAsync, median, type Pause, ratio } from "./measure.ts";

const RUNS = 1000;

/** The cost of listing many short runs that ended, for the first time and again. */
export const ledgerListing = defineComparison({
  title: "Cost of listing runs",
  baseline: `read and JSON.parse the summaries of ${RUNS.toLocaleString("en")} runs`,
  rows: {
    first: { what: "list for the first time, against read + JSON.parse of all logs", unit: "×", target: 6 },
    again: { what: "list, when every run has its summary", unit: "×", target: 5 },
    "read-only": { what: "list of a folder that may only be read, again", unit: "×", target: 5 },
  },
  measure: ({ now, pause, row }) =>
    inFolder(async (folder) => {
      now("write the runs");
      await writeRuns(folder, pause);
      now("list for the first time");
      const first = await measureFirst(folder, pause);
      row("first", ratio(first.list, first.parse));
      now("list again");
      const again = await measureAgain(folder, pause);
      row("again", ratio(again.list, again.parse));
      row("read-only", ratio(again["read-only"], again.parse));
      return [
        `Reading a summary takes ${(median(again.parse) / RUNS / 1000).toFixed(0)} µs.`,
        "A list checks whether each log is still the one of its summary. The limits are our own.",
      ];
    }),
});

async function writeRuns(folder: string, pause: Pause): Promise<void> {
  const events = createEventSource();
  const store = createFileStore(folder, { level: "kernel" });
  for (let n = 0; n < RUNS; n += 1) {
    if (n % 100 === 0) await pause(n, RUNS);
    const run = `run-${String(n)}`;
    const end: RunEvent = {
      type: "run.finished",
      seq: 21,
      at: 1_790_000_000_000,
      phase: "working",
      verified: false,
      outcome: "completed",
      reason: "done",
    };
    await store.append(run, [...events.batch(run, { after: 0, count: 20 }), end], { after: 0 });
  }
  await store.close();
}

/** The file system of a folder that may only be read. */
function readOnlyFiles(): ReturnType<typeof nodeFileSystem> {
  const refuse = (): never => {
    throw Object.assign(new Error("EROFS"), { code: "EROFS" });
  };
  return { ...nodeFileSystem(), create: refuse, write: refuse, rename: refuse, remove: refuse };
}

async function listAll(store: FileStore): Promise<void> {
  if ((await store.list({ limit: RUNS })).length !== RUNS) throw new Error("The list is not complete.");
}

function measureFirst(folder: string, pause: Pause) {
  const files = readOnlyFiles();
  return measureAsync(
    [
      {
        name: "parse",
        run: () => {
          for (const run of readdirSync(folder))
            for (const line of readFileSync(logFile(folder, run), "utf8").split("\n"))
              if (line !== "") JSON.parse(line);
        },
      },
      { name: "list", run: () => listAll(createFileStore(folder, { files })) },
    ],
    { blocks: 7, warmUp: 1, pause },
  );
}

async function measureAgain(folder: string, pause: Pause) {
  // A store that can write nothing keeps the summaries in memory; the next one writes them.
  const readOnly = createFileStore(folder, { files: readOnlyFiles() });
  await listAll(readOnly);
  await listAll(createFileStore(folder));
  return measureAsync(
    [
      {
        name: "parse",
        run: () => {
          for (const run of readdirSync(folder)) JSON.parse(readFileSync(join(folder, run, "summary.json"), "utf8"));
        },
      },
      { name: "list", run: () => listAll(createFileStore(folder)) },
      { name: "read-only", run: () => listAll(readOnly) },
    ],
    { blocks: 15, pause },
  );
}
