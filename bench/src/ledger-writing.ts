import { replayRun, type RunEvent } from "@phasekit/core";
import { redactSecrets } from "@phasekit/ledger";
import { createFileStore, nodeFileSystem } from "@phasekit/ledger/node";
import {
  closeSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
  writevSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pino } from "pino";
import { measureInterleaved, median, ratio, type Samples } from "./measure.ts";
import type { Story } from "./comparison.ts";
import { logOf, toolFact } from "./sample-events.ts";

// 72 events of 990 bytes fill one flush, so that both sides write at the same moments.
const BATCH = 72;
const PRODUCERS = 64;

interface AsyncSubject {
  readonly name: string;
  readonly run: (block: number) => Promise<void> | void;
  /** Done before each block, and not timed. */
  readonly prepare?: () => void;
}

/** What storing a run costs, compared with writing the same JSON without any care. */
export async function ledgerStore(): Promise<readonly Story[]> {
  const root = mkdtempSync(join(tmpdir(), "ledger-bench-"));
  try {
    return [await writing(root), await reading(root), await listing(root), redacting()];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function writing(root: string): Promise<Story> {
  const events = eventSource();
  const store = createFileStore(join(root, "runs"), { level: "kernel" });
  const durable = createFileStore(join(root, "durable"), { level: "disk" });
  const plain = openSync(join(root, "plain.jsonl"), "w");
  const synced = openSync(join(root, "synced.jsonl"), "w");
  const least = openSync(join(root, "least.jsonl"), "w");
  const database = new DatabaseSync(join(root, "events.db"));
  database.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE events (seq INTEGER PRIMARY KEY, body TEXT)",
  );
  const insert = database.prepare("INSERT INTO events (body) VALUES (?)");
  const encoded = Array.from({ length: PRODUCERS }, (_, n) => Buffer.from(`${JSON.stringify(events.event(n + 2))}\n`));
  const ends = new Map<string, number>();
  const append = async (target: typeof store, run: string, count: number): Promise<void> => {
    const after = ends.get(run) ?? 0;
    ends.set(run, after + count);
    await target.append(run, events.batch(run, { after, count }), { after });
  };
  await append(store, "batch", 1);
  await append(store, "single", 1);
  await append(durable, "group", 1);
  const pinoSync = pino(pino.destination({ dest: join(root, "pino-sync.log"), sync: true }));
  const pinoAsync = pino(pino.destination({ dest: join(root, "pino-async.log"), sync: false, minLength: 4096 }));
  await new Promise((resolve) => setTimeout(resolve, 50));

  // Everybody gets the same events, made before the clock starts.
  let made: readonly RunEvent[] = [];
  const prepare = (): void => void (made = events.batch("batch", { after: 1, count: BATCH }));
  const next =
    (run: string): (() => void) =>
    () =>
      void (made = events.batch(run, { after: ends.get(run) ?? 0, count: BATCH }));
  const appendMade = async (target: typeof store, run: string, some: readonly RunEvent[]): Promise<void> => {
    const after = ends.get(run) ?? 0;
    ends.set(run, after + some.length);
    await target.append(run, some, { after });
  };
  const time = await measureAsync(
    [
      {
        name: "plain",
        prepare,
        run: () => void writeSync(plain, made.map((event) => JSON.stringify(event)).join("\n") + "\n"),
      },
      { name: "kernel", prepare: next("batch"), run: () => appendMade(store, "batch", made) },
      {
        name: "single",
        prepare: next("single"),
        run: async () => {
          for (const event of made) await appendMade(store, "single", [event]);
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
    { blocks: 61 },
  );
  const disk = await measureAsync(
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
        prepare: () => void (made = events.batch("group", { after: ends.get("group") ?? 0, count: PRODUCERS })),
        run: async () => {
          await Promise.all(made.map((event) => appendMade(durable, "group", [event])));
        },
      },
    ],
    { blocks: 301 },
  );
  await store.close();
  await durable.close();
  for (const file of [plain, synced, least]) closeSync(file);
  database.close();
  const bytes = (run: string): number =>
    statSync(join(root, "runs", run, "log", "0001-0001.jsonl")).size /
    ((ends.get(run) ?? 1) * (JSON.stringify(events.event(2)).length + 1));
  return {
    title: "What storing an event costs",
    baseline: `stringify ${String(BATCH)} events of 1 kB and write them at once, unchecked: ${(median(time("plain")) / BATCH / 1000).toFixed(1)} µs per event`,
    results: [
      {
        what: "file store, level kernel, the same batch",
        value: ratio(time("kernel"), time("plain")),
        unit: "×",
        target: 1.15,
      },
      {
        what: "file store, level kernel, one event at a time, each awaited",
        value: ratio(time("single"), time("plain")),
        unit: "×",
      },
      {
        what: "the batch, against pino in synchronous mode, event by event",
        value: ratio(time("kernel"), time("pino sync")),
        unit: "×",
        target: 1,
      },
      {
        what: "one at a time, against pino in synchronous mode, which writes each line as well",
        value: ratio(time("single"), time("pino sync")),
        unit: "×",
        target: 1,
      },
      {
        what: "one at a time, against pino in asynchronous mode, which may lose lines",
        value: ratio(time("single"), time("pino async")),
        unit: "×",
        target: 1,
      },
      {
        what: "one at a time, against node:sqlite, WAL, NORMAL, autocommit",
        value: ratio(time("single"), time("sqlite")),
        unit: "×",
        target: 1,
      },
      {
        what: `level disk, ${String(PRODUCERS)} producers, against writev + fdatasync of encoded bytes`,
        value: ratio(disk("group"), disk("raw")),
        unit: "×",
        target: 1.67,
      },
      {
        what: `of which stringify, write and fdatasync alone take, for one caller`,
        value: ratio(disk("least"), disk("raw")),
        unit: "×",
      },
      { what: "bytes, in batches, against the JSON alone", value: bytes("batch"), unit: "×", target: 1.05 },
      { what: "bytes, one event at a time, against the JSON alone", value: bytes("single"), unit: "×", target: 1.05 },
    ],
    notes: [`writev + fdatasync: ${(median(disk("raw")) / PRODUCERS / 1000).toFixed(1)} µs per event.`],
  };
}

async function reading(root: string): Promise<Story> {
  const events = eventSource();
  const folder = join(root, "read");
  const long = createFileStore(folder, { level: "kernel" });
  const LENGTH = 20_000;
  for (const [run, length] of [
    ["long", LENGTH],
    ["short", 500],
  ] as const) {
    for (let after = 0; after < length; after += 50)
      await long.append(run, events.batch(run, { after, count: 50 }), { after });
  }
  await long.flush();
  const path = (run: string): string => join(folder, run, "log", "0001-0001.jsonl");
  const store = createFileStore(folder);
  const time = await measureAsync(
    [
      {
        name: "parse",
        run: () => {
          for (const line of readFileSync(path("long"), "utf8").split("\n")) if (line !== "") JSON.parse(line);
        },
      },
      {
        name: "read",
        run: async () => {
          let count = 0;
          for await (const batch of store.read("long")) count += batch.length;
          if (count !== LENGTH) throw new Error("the log is not whole");
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
    { blocks: 9 },
  );
  await long.close();
  // Each block is another process in the eyes of the log: it takes the run over, and pays for finding its end.
  let marks = 0;
  const opening = (run: string, length: number): AsyncSubject => {
    let end = length;
    return {
      name: run,
      run: async () => {
        const next = createFileStore(folder, { level: "kernel", takeOver: true, clock: () => (marks += 1) });
        await next.append(run, events.batch(run, { after: end, count: 1 }), { after: end });
        end += 1;
        await next.close();
      },
    };
  };
  const open = await measureAsync([opening("short", 500), opening("long", LENGTH)], { blocks: 15 });
  return {
    title: "What reading a stored run costs",
    baseline: `read the file and JSON.parse each of ${LENGTH.toLocaleString("en")} lines: ${(median(time("parse")) / LENGTH / 1000).toFixed(1)} µs per event`,
    results: [
      { what: "read and verify", value: ratio(time("read"), time("parse")), unit: "×", target: 1.3 },
      { what: "read, verify and replay", value: ratio(time("replay"), time("parse")), unit: "×", target: 2 },
      {
        what: `opening a run of ${LENGTH.toLocaleString("en")} events, against one of 500`,
        value: ratio(open("long"), open("short")),
        unit: "×",
        target: 1.5,
      },
    ],
    notes: ["The last row is opening for writing after another process: lock, end of the log, new file, first event."],
  };
}

/** Many short runs that ended, listed again and again. */
async function listing(root: string): Promise<Story> {
  const events = eventSource();
  const folder = join(root, "list");
  const RUNS = 1000;
  const store = createFileStore(folder, { level: "kernel" });
  for (let n = 0; n < RUNS; n += 1) {
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
  const log = (run: string): string => readFileSync(join(folder, run, "log", "0001-0001.jsonl"), "utf8");
  const refuse = (): never => {
    throw Object.assign(new Error("EROFS"), { code: "EROFS" });
  };
  const readOnly = { ...nodeFileSystem(), create: refuse, write: refuse, rename: refuse, remove: refuse };
  const list = async (target: typeof store): Promise<void> => {
    if ((await target.list({ limit: RUNS })).length !== RUNS) throw new Error("the list is not whole");
  };
  const first = await measureAsync(
    [
      {
        name: "parse",
        run: () => {
          for (const run of readdirSync(folder))
            for (const line of log(run).split("\n")) if (line !== "") JSON.parse(line);
        },
      },
      { name: "list", run: () => list(createFileStore(folder, { files: readOnly })) },
    ],
    { blocks: 7, warmUp: 1 },
  );
  // One that could write nothing remembers; the next one leaves summaries behind.
  const remembering = createFileStore(folder, { files: readOnly });
  await list(remembering);
  await list(createFileStore(folder));
  const again = await measureAsync(
    [
      {
        name: "parse",
        run: () => {
          for (const run of readdirSync(folder)) JSON.parse(readFileSync(join(folder, run, "summary.json"), "utf8"));
        },
      },
      { name: "list", run: () => list(createFileStore(folder)) },
      { name: "read-only", run: () => list(remembering) },
    ],
    { blocks: 15 },
  );
  return {
    title: "What listing runs costs",
    baseline: `read and JSON.parse the summaries of ${RUNS.toLocaleString("en")} runs: ${(median(again("parse")) / RUNS / 1000).toFixed(0)} µs per run`,
    results: [
      {
        what: "list, when every run is summed up already",
        value: ratio(again("list"), again("parse")),
        unit: "×",
        target: 5,
      },
      {
        what: "list of a folder that may only be read, again",
        value: ratio(again("read-only"), again("parse")),
        unit: "×",
        target: 5,
      },
      {
        what: "list for the first time, against read + JSON.parse of all logs",
        value: ratio(first("list"), first("parse")),
        unit: "×",
        target: 6,
      },
    ],
    notes: ["A list looks whether each log is still what was summed up. The limits are our own."],
  };
}

function redacting(): Story {
  const EVENTS = 2000;
  const events = logOf(Array.from({ length: EVENTS }, (_, n) => toolFact(n))).slice(2);
  const redact = redactSecrets();
  const registered = (count: number): typeof redact =>
    redactSecrets({
      secrets: Array.from(
        { length: count },
        (_, n) => `S3cr3t/${String((n * 2_654_435_761) % 4_294_967_296)}+${String(n)}`,
      ),
    });
  const ten = registered(10);
  const thousand = registered(1000);
  // What is not used is not computed, so both results are.
  let used = 0;
  const time = measureInterleaved(
    [
      {
        name: "stringify",
        run: () => {
          for (let n = 0; n < EVENTS; n += 1) used += JSON.stringify(events[n % events.length]).length;
        },
      },
      {
        name: "redact",
        run: () => {
          for (let n = 0; n < EVENTS; n += 1) used += Object.keys(redact(events[n % events.length] as never)).length;
        },
      },
      {
        name: "ten",
        run: () => {
          for (let n = 0; n < EVENTS; n += 1) used += Object.keys(ten(events[n % events.length] as never)).length;
        },
      },
      {
        name: "thousand",
        run: () => {
          for (let n = 0; n < EVENTS; n += 1) used += Object.keys(thousand(events[n % events.length] as never)).length;
        },
      },
    ],
    { blocks: 101, count: EVENTS },
  );
  return {
    title: "What looking for secrets costs",
    baseline: `JSON.stringify of a 1 kB event: ${median(time.stringify).toFixed(0)} ns`,
    results: [
      {
        what: "redactSecrets on an event without any",
        value: ratio(time.redact, time.stringify),
        unit: "×",
        target: 0.6,
      },
      { what: "the same with 10 secrets registered", value: ratio(time.ten, time.stringify), unit: "×", target: 4 },
      {
        what: "the same with 1,000 secrets registered",
        value: ratio(time.thousand, time.stringify),
        unit: "×",
        target: 10,
      },
    ],
    notes: [
      used > 0
        ? "The event is a file that was read: source code, a path, a call. The limits with registered secrets are our own."
        : "",
    ],
  };
}

function eventSource(): {
  readonly event: (seq: number) => RunEvent;
  readonly batch: (run: string, place: { readonly after: number; readonly count: number }) => readonly RunEvent[];
} {
  const sample = logOf(Array.from({ length: 500 }, (_, n) => toolFact(n))).slice(2);
  const event = (seq: number): RunEvent => ({
    ...(sample[seq % sample.length] as RunEvent),
    seq,
    call: `call-${String(seq)}`,
  });
  const first = (run: string): RunEvent => ({ ...(logOf([])[0] as RunEvent), run }) as RunEvent;
  return {
    event,
    batch: (run, { after, count }) =>
      Array.from({ length: count }, (_, n) => (after + n === 0 ? first(run) : event(after + n + 1))),
  };
}

async function measureAsync(
  subjects: readonly AsyncSubject[],
  { blocks, warmUp = 3 }: { readonly blocks: number; readonly warmUp?: number },
): Promise<(name: string) => Samples> {
  const samples = new Map<string, number[]>(subjects.map(({ name }) => [name, []]));
  for (let block = -warmUp; block < blocks; block += 1) {
    for (const turn of subjects.keys()) {
      const subject = subjects[(turn + block + warmUp) % subjects.length];
      if (subject === undefined) continue;
      const { name, run, prepare } = subject;
      prepare?.();
      const start = process.hrtime.bigint();
      await run(block + warmUp);
      const spent = Number(process.hrtime.bigint() - start);
      if (block >= 0) samples.get(name)?.push(spent);
    }
  }
  return (name) => samples.get(name) ?? [];
}
