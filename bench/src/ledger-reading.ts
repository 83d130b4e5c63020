import { replayRun, type RunEvent } from "@phasekit/core";
import { createFileStore } from "@phasekit/ledger/node";
import { readFileSync } from "node:fs";
import { defineComparison } from "./comparison.ts";
import { createEventSource, type EventSource, inFolder, logFile } from "./ledger-events.ts";
import { type AsyncSubject, measureAsync, median, type Pause, ratio } from "./measure.ts";

const LENGTHS = { short: 500, long: 20_000 } as const;
const LENGTH = LENGTHS.long.toLocaleString("en");
const BATCH = 50;

/** The cost of reading a stored run, and of opening one that another process wrote. */
export const ledgerReading = defineComparison({
  title: "Cost of reading a stored run",
  baseline: `read the file and JSON.parse each of ${LENGTH} lines`,
  rows: {
    read: { what: "read and verify", unit: "×", target: 1.3 },
    replay: { what: "read, verify and replay", unit: "×", target: 2 },
    open: { what: `opening a run of ${LENGTH} events, against one of 500`, unit: "×", target: 1.5 },
  },
  measure: ({ now, pause, baseline, row }) =>
    inFolder(async (folder) => {
      const events = createEventSource();
      now("write the runs");
      const writer = createFileStore(folder, { level: "kernel" });
      for (const [run, length] of Object.entries(LENGTHS))
        for (let after = 0; after < length; after += BATCH)
          await writer.append(run, events.batch(run, { after, count: BATCH }), { after });
      await writer.flush();
      now("read the long run");
      const time = await measureReading(folder, pause);
      baseline(`${(median(time.parse) / LENGTHS.long / 1000).toFixed(1)} µs per event`);
      row("read", ratio(time.read, time.parse));
      row("replay", ratio(time.replay, time.parse));
      await writer.close();
      now("open both runs");
      const open = await measureOpening(folder, { events, pause });
      row("open", ratio(open.long, open.short));
      return [
        "The last row is opening for writing after another process: lock, end of the log, new file, first event.",
      ];
    }),
});

function measureReading(folder: string, pause: Pause) {
  const file = logFile(folder, "long");
  const store = createFileStore(folder);
  return measureAsync(
    [
      {
        name: "parse",
        run: () => {
          for (const line of readFileSync(file, "utf8").split("\n")) if (line !== "") JSON.parse(line);
        },
      },
      {
        name: "read",
        run: async () => {
          let count = 0;
          for await (const batch of store.read("long")) count += batch.length;
          if (count !== LENGTHS.long) throw new Error("The log is not complete.");
        },
      },
      {
        name: "replay",
        run: async () => {
          const all: RunEvent[] = [];
          for await (const batch of store.read("long")) all.push(...batch);
          replayRun(all);
        },
      },
    ],
    { blocks: 9, pause },
  );
}

/** For the log, each block is another process: it takes the run over, and finds its end. */
function measureOpening(folder: string, { events, pause }: { readonly events: EventSource; readonly pause: Pause }) {
  let time = 0;
  const opening = <const TName extends keyof typeof LENGTHS>(run: TName): AsyncSubject<TName> => {
    let end: number = LENGTHS[run];
    return {
      name: run,
      run: async () => {
        const next = createFileStore(folder, { level: "kernel", takeOver: true, clock: () => (time += 1) });
        await next.append(run, events.batch(run, { after: end, count: 1 }), { after: end });
        end += 1;
        await next.close();
      },
    };
  };
  return measureAsync<keyof typeof LENGTHS>([opening("short"), opening("long")], { blocks: 15, pause });
}
