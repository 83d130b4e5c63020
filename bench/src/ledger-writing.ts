import type { RunEvent } from "@phasekit/core";
import { createFileStore, type FileStore } from "@phasekit/ledger/node";
import { closeSync, fdatasyncSync, openSync, statSync, writeSync, writevSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pino } from "pino";
import { defineComparison } from "./comparison.ts";
import { createEventSource, type EventSource, inFolder, logFile } from "./ledger-events.ts";
import { measureAsync, median, type Pause, ratio } from "./measure.ts";

// 72 events of 990 bytes fill one flush, so that both sides write at the same moments.
const BATCH = 72;
const PRODUCERS = 64;

/** The cost of storing events, compared with writing the same JSON without any care. */
export const ledgerWriting = defineComparison({
  title: "Cost of storing an event",
  baseline: `stringify ${String(BATCH)} events of 1 kB and write them in one call, unchecked`,
  rows: {
    kernel: { what: "file store, level kernel, the same batch", unit: "×", target: 1.15 },
    single: { what: "file store, level kernel, one event at a time, each awaited", unit: "×" },
    "batch, pino": { what: "the batch, against pino in synchronous mode, event by event", unit: "×", target: 1 },
    "single, pino": {
      what: "one at a time, against pino in synchronous mode, which writes each line as well",
      unit: "×",
      target: 1,
    },
    "single, pino async": {
      what: "one at a time, against pino in asynchronous mode, which may lose lines",
      unit: "×",
      target: 1,
    },
    "single, sqlite": {
      what: "one at a time, against node:sqlite, WAL, NORMAL, autocommit",
      unit: "×",
      target: 1,
    },
    disk: {
      what: `level disk, ${String(PRODUCERS)} producers, against writev + fdatasync of encoded bytes`,
      unit: "×",
      target: 1.67,
    },
    least: { what: "of which stringify, write and fdatasync alone take, for one caller", unit: "×" },
    "bytes, batch": { what: "bytes, in batches, against the JSON alone", unit: "×", target: 1.05 },
    "bytes, single": { what: "bytes, one event at a time, against the JSON alone", unit: "×", target: 1.05 },
  },
  measure: ({ now, pause, baseline, row }) =>
    inFolder(async (root) => {
      const events = createEventSource();
      const store = createFileStore(join(root, "runs"), { level: "kernel" });
      const durable = createFileStore(join(root, "durable"), { level: "disk" });
      const logs: TestedLogs = {
        batch: createTestedLog(store, { run: "batch", events }),
        single: createTestedLog(store, { run: "single", events }),
        group: createTestedLog(durable, { run: "group", events }),
      };
      for (const log of Object.values(logs)) await log.append(log.next(1));
      now("level kernel");
      const time = await measureKernel(root, { events, logs, pause });
      baseline(`${(median(time.plain) / BATCH / 1000).toFixed(1)} µs per event`);
      row("kernel", ratio(time.kernel, time.plain));
      row("single", ratio(time.single, time.plain));
      row("batch, pino", ratio(time.kernel, time["pino sync"]));
      row("single, pino", ratio(time.single, time["pino sync"]));
      row("single, pino async", ratio(time.single, time["pino async"]));
      row("single, sqlite", ratio(time.single, time.sqlite));
      now("level disk");
      const disk = await measureDisk(root, { events, logs, pause });
      row("disk", ratio(disk.group, disk.raw));
      row("least", ratio(disk.least, disk.raw));
      await store.close();
      await durable.close();
      const perEvent = JSON.stringify(events.event(2)).length + 1;
      const bytes = (name: "batch" | "single"): number =>
        statSync(logFile(join(root, "runs"), name)).size / (logs[name].end() * perEvent);
      row("bytes, batch", bytes("batch"));
      row("bytes, single", bytes("single"));
      return [`writev + fdatasync: ${(median(disk.raw) / PRODUCERS / 1000).toFixed(1)} µs per event.`];
    }),
});

/** A run in a store, and where it ends. */
interface TestedLog {
  /** The next events of the run. */
  readonly next: (count: number) => readonly RunEvent[];
  readonly append: (events: readonly RunEvent[]) => Promise<void>;
  readonly end: () => number;
}

type TestedLogs = Readonly<Record<"batch" | "single" | "group", TestedLog>>;

function createTestedLog(
  store: FileStore,
  { run, events }: { readonly run: string; readonly events: EventSource },
): TestedLog {
  let end = 0;
  return {
    next: (count) => events.batch(run, { after: end, count }),
    append: async (some) => {
      const after = end;
      end += some.length;
      await store.append(run, some, { after });
    },
    end: () => end,
  };
}

async function measureKernel(
  root: string,
  { events, logs, pause }: { readonly events: EventSource; readonly logs: TestedLogs; readonly pause: Pause },
) {
  const plain = openSync(join(root, "plain.jsonl"), "w");
  const database = new DatabaseSync(join(root, "events.db"));
  database.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE events (seq INTEGER PRIMARY KEY, body TEXT)",
  );
  const insert = database.prepare("INSERT INTO events (body) VALUES (?)");
  const pinoSync = pino(pino.destination({ dest: join(root, "pino-sync.log"), sync: true }));
  const pinoAsync = pino(pino.destination({ dest: join(root, "pino-async.log"), sync: false, minLength: 4096 }));
  await new Promise((resolve) => setTimeout(resolve, 50));
  // All subjects get the same events, made before the clock starts.
  let made: readonly RunEvent[] = [];
  const prepare = (): void => void (made = events.batch("batch", { after: 1, count: BATCH }));
  try {
    return await measureAsync(
      [
        {
          name: "plain",
          prepare,
          run: () => void writeSync(plain, made.map((event) => JSON.stringify(event)).join("\n") + "\n"),
        },
        { name: "kernel", prepare: () => void (made = logs.batch.next(BATCH)), run: () => logs.batch.append(made) },
        {
          name: "single",
          prepare: () => void (made = logs.single.next(BATCH)),
          run: async () => {
            for (const event of made) await logs.single.append([event]);
          },
        },
        {
          name: "sqlite",
          prepare,
          run: () => {
            for (const event of made) insert.run(JSON.stringify(event));
          },
        },
        {
          name: "pino sync",
          prepare,
          run: () => {
            for (const event of made) pinoSync.info(event);
          },
        },
        {
          name: "pino async",
          prepare,
          run: () => {
            for (const event of made) pinoAsync.info(event);
            return new Promise<void>((done) => pinoAsync.flush(() => done()));
          },
        },
      ],
      { blocks: 61, pause },
    );
  } finally {
    closeSync(plain);
    database.close();
  }
}

async function measureDisk(
  root: string,
  { events, logs, pause }: { readonly events: EventSource; readonly logs: TestedLogs; readonly pause: Pause },
) {
  const synced = openSync(join(root, "synced.jsonl"), "w");
  const least = openSync(join(root, "least.jsonl"), "w");
  const encoded = Array.from({ length: PRODUCERS }, (_, n) => Buffer.from(`${JSON.stringify(events.event(n + 2))}\n`));
  let made: readonly RunEvent[] = [];
  try {
    return await measureAsync(
      [
        {
          name: "raw",
          run: () => {
            writevSync(synced, encoded);
            fdatasyncSync(synced);
          },
        },
        {
          name: "least",
          prepare: () => void (made = events.batch("batch", { after: 1, count: PRODUCERS })),
          run: () => {
            writeSync(least, made.map((event) => JSON.stringify(event)).join("\n") + "\n");
            fdatasyncSync(least);
          },
        },
        {
          name: "group",
          prepare: () => void (made = logs.group.next(PRODUCERS)),
          run: async () => {
            await Promise.all(made.map((event) => logs.group.append([event])));
          },
        },
      ],
      { blocks: 301, pause },
    );
  } finally {
    closeSync(synced);
    closeSync(least);
  }
}
