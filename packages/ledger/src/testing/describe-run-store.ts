import { buildEvents, type TestRunner } from "@phasekit/core/testing";
import { codingPhases, isPhasekitError, type RunEvent } from "@phasekit/core";
import { readRun, type RunStore } from "../run-store.ts";
import { summarizeRun } from "../summarize-run.ts";

export interface DescribeRunStoreOptions {
  readonly describe: TestRunner["describe"];
  /** Takes an asynchronous test; vitest's and node:test's `it` fit. */
  readonly it: (name: string, body: () => Promise<void>) => unknown;
  /** Called after each test, with the store it used. */
  readonly cleanUp?: (store: RunStore) => Promise<void> | void;
}

/**
 * Checks what every run store promises. Pass a function that makes an empty store.
 *
 * @example
 * describeRunStore("memory store", createMemoryStore, { describe, it });
 */
export function describeRunStore(
  name: string,
  createStore: () => RunStore | Promise<RunStore>,
  { describe, it, cleanUp }: DescribeRunStoreOptions,
): void {
  const test = (title: string, body: (store: RunStore) => Promise<void>): unknown =>
    it(title, async () => {
      const store = await createStore();
      try {
        await body(store);
      } finally {
        await cleanUp?.(store);
      }
    });

  describe(name, () => {
    for (const [title, body] of Object.entries(PROMISES)) test(title, body);
  });
}

/** The promises of every run store. */
const PROMISES: Readonly<Record<string, (store: RunStore) => Promise<void>>> = {
  "gives back what was appended, event for event": async (store) => {
    const log = sampleLog("a");
    await appendSteps(store, "a", log);
    same(await readRun(store, "a"), log, "The log read back differs.");
  },

  "gives an empty log for a run it does not know": async (store) => {
    same(await readRun(store, "missing"), [], "A run that was never stored has events.");
    same(await store.list(), [], "An empty store lists runs.");
  },

  "reads from any point on": async (store) => {
    const log = sampleLog("a");
    await appendSteps(store, "a", log);
    for (const after of [0, 1, 4, log.length - 1, log.length, log.length + 5]) {
      const read: RunEvent[] = [];
      for await (const batch of store.read("a", { after })) {
        if (batch.length === 0) throw new Error("A batch is empty.");
        read.push(...batch);
      }
      same(read, log.slice(after), `Reading after ${String(after)} gives something else.`);
    }
  },

  "refuses an append that does not begin where the log ends, and keeps nothing of it": async (store) => {
    const log = sampleLog("a");
    await store.append("a", log.slice(0, 3), { after: 0 });
    await refuses(store.append("a", log.slice(0, 3), { after: 0 }), "APPEND_CONFLICT");
    await refuses(store.append("a", log.slice(4, 6), { after: 4 }), "APPEND_CONFLICT");
    await refuses(store.append("a", log.slice(1, 3), { after: 1 }), "APPEND_CONFLICT");
    same(await readRun(store, "a"), log.slice(0, 3), "A refused append left something behind.");
    await store.append("a", log.slice(3), { after: 3 });
    same(await readRun(store, "a"), log, "After a refusal the log does not continue.");
  },

  "lets exactly one of two writers win": async (store) => {
    const log = sampleLog("a");
    await store.append("a", log.slice(0, 2), { after: 0 });
    const results = await Promise.allSettled([
      store.append("a", log.slice(2, 4), { after: 2 }),
      store.append("a", log.slice(2, 5), { after: 2 }),
    ]);
    if (results.filter(({ status }) => status === "fulfilled").length !== 1)
      throw new Error("Two appends at one place were both accepted, or none.");
    const stored = await readRun(store, "a");
    same(stored, log.slice(0, stored.length), "The log holds parts of both.");
  },

  "refuses events that do not continue the log": async (store) => {
    const log = sampleLog("a");
    await refuses(store.append("a", [], { after: 0 }), "INVALID_APPEND");
    await refuses(store.append("a", log.slice(1, 3), { after: 0 }), "INVALID_APPEND");
    await refuses(store.append("other", log.slice(0, 3), { after: 0 }), "INVALID_APPEND");
    await refuses(store.append("", log.slice(0, 3), { after: 0 }), "INVALID_APPEND");
    await refuses(store.append("a", [log[0], log[2]] as RunEvent[], { after: 0 }), "INVALID_APPEND");
    await refuses(store.append("a", [{ type: "no.such", seq: 1, at: 0 } as never], { after: 0 }), "INVALID_APPEND");
    same(await store.list(), [], "A refused append made a run.");
  },

  "refuses an event that could not be read back, and continues without it": async (store) => {
    const log = sampleLog("a");
    const [first, second] = log as [RunEvent, RunEvent];
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    const throwing = { toJSON: () => JSON.parse("{") as unknown };
    const broken: readonly (readonly [what: string, event: (event: RunEvent) => unknown])[] = [
      ...[NaN, Infinity, -Infinity, 1e300, null, "now", undefined, 5n].map(
        (at) => [`at ${String(at)}`, (event: RunEvent) => ({ ...event, at })] as const,
      ),
      ["a newer version", (event) => ({ ...event, v: 99 })],
      ["a version that is not a number", (event) => ({ ...event, v: NaN })],
      ["a BigInt", (event) => ({ ...event, host: { size: 5n } })],
      ["a cycle", (event) => ({ ...event, host: cycle })],
      ["a member that throws", (event) => ({ ...event, host: throwing })],
      ["nothing as JSON", (event) => ({ ...event, toJSON: () => undefined })],
      ["a text as JSON", (event) => ({ ...event, toJSON: () => "text" })],
      ["no object", () => null],
    ];
    for (const [what, make] of broken) {
      await refuses(store.append("a", [make(first) as RunEvent], { after: 0 }), "INVALID_APPEND", what);
      same(await store.list(), [], `A refused append made a run: ${what}.`);
    }
    await store.append("a", [first], { after: 0 });
    for (const [what, make] of broken)
      await refuses(store.append("a", [make(second) as RunEvent], { after: 1 }), "INVALID_APPEND", what);
    await store.append("a", log.slice(1), { after: 1 });
    same(await readRun(store, "a"), log, "The log read back differs.");
  },

  "refuses a list that it cannot make": async (store) => {
    for (const query of [{ before: "x" }, { since: NaN }, { before: {} }, { limit: "ten" }, { limit: -1 }])
      await refuses(store.list(query as never), "INVALID_OPTION", JSON.stringify(query));
    same(await store.list({ since: 0.5, before: 1e12 + 0.5, item: "\u0000", limit: 5 }), [], "A list differs.");
  },

  "keeps runs apart, whatever their ids": async (store) => {
    const ids = [
      "a",
      "A",
      "..",
      "a/b",
      "a\\b",
      "con",
      "nul.txt",
      "x".repeat(200),
      "ü—💡",
      "a b",
      "%2e%2e",
      "__proto__",
      ".hidden",
      "a\nb",
    ];
    for (const id of ids) await appendSteps(store, id, sampleLog(id));
    for (const id of ids) same(await readRun(store, id), sampleLog(id), `Run ${JSON.stringify(id)} differs.`);
    same((await store.list()).map(({ run }) => run).sort(), [...ids].sort(), "The list of ids differs.");
  },

  "lists summaries that equal the recomputed ones": async (store) => {
    for (const id of ["a", "b"]) await appendSteps(store, id, sampleLog(id));
    for (const summary of await store.list())
      same(
        [summary],
        [summarizeRun(await readRun(store, summary.run))],
        "A stored summary differs from the recomputed one.",
      );
  },

  "filters, orders and cuts the list": async (store) => {
    for (const [index, id] of ["a", "b", "c"].entries())
      await appendSteps(
        store,
        id,
        sampleLog(id, { start: 1000 * (index + 1), ended: id !== "c", item: id === "b" ? "item-1" : undefined }),
      );
    const ids = async (query?: Parameters<RunStore["list"]>[0]): Promise<readonly string[]> =>
      (await store.list(query)).map(({ run }) => run);
    same(await ids(), ["c", "b", "a"], "The newest run is not first.");
    same(await ids({ limit: 2 }), ["c", "b"], "The limit is wrong.");
    same(await ids({ item: "item-1" }), ["b"], "The item filter is wrong.");
    // A store that knows that the writer lives says so.
    same(await ids({ state: ["interrupted", "running"] }), ["c"], "The state filter is wrong.");
    same(await ids({ since: 2000 }), ["c", "b"], "The since filter is wrong.");
    same(await ids({ before: 2000 }), ["a"], "The before filter is wrong.");
  },

  "stores any text exactly": async (store) => {
    const text = 'line\nbreak \u0000 \ud800 \u2028 {"k":"#"} "quoted" \\ 💡 ünï'.repeat(3);
    const inputs = [
      {
        type: "tool.finished" as const,
        tool: "sh",
        outcome: "ok" as const,
        input: { text, __proto__x: 1 },
        output: text,
      },
    ];
    const log = buildEvents(inputs, { id: "a", clip: { output: 100_000 } });
    await store.append("a", log, { after: 0 });
    same(await readRun(store, "a"), log, "A text changed.");
  },

  "takes a long run in small and in large steps": async (store) => {
    const log = sampleLog("a", { turns: 700 });
    for (let at = 0, size = 1; at < log.length; at += size, size = (size * 7) % 61 || 1)
      await store.append("a", log.slice(at, at + size), { after: at });
    same(await readRun(store, "a"), log, "A long log differs.");
  },

  "forgets a run that is removed": async (store) => {
    if (store.remove === undefined) return;
    await appendSteps(store, "a", sampleLog("a"));
    await appendSteps(store, "b", sampleLog("b"));
    await store.remove("a");
    await store.remove("never there");
    same(await readRun(store, "a"), [], "A removed run has events.");
    same(
      (await store.list()).map(({ run }) => run),
      ["b"],
      "A removed run is listed, or another one is gone.",
    );
    await appendSteps(store, "a", sampleLog("a"));
    same(await readRun(store, "a"), sampleLog("a"), "A removed run cannot be stored again.");
  },

  "follows a run while it is written": async (store) => {
    if (store.tail === undefined) return;
    const log = sampleLog("a");
    await store.append("a", log.slice(0, 2), { after: 0 });
    const seen: RunEvent[] = [];
    const following = (async () => {
      for await (const batch of store.tail?.("a", { after: 1 }) ?? []) {
        seen.push(...batch);
        if (seen.at(-1)?.seq === log.length) return;
      }
    })();
    for (let at = 2; at < log.length; at += 1) await store.append("a", log.slice(at, at + 1), { after: at });
    await following;
    same(seen, log.slice(1), "A follower saw something else.");
  },
};

function sampleLog(
  id: string,
  {
    turns = 3,
    start = 1000,
    ended = true,
    item,
  }: {
    readonly turns?: number;
    readonly start?: number;
    readonly ended?: boolean;
    readonly item?: string | undefined;
  } = {},
): readonly RunEvent[] {
  let time = start - 1;
  const inputs = Array.from({ length: turns }, (_, n) => [
    { type: "turn.started" as const },
    { type: "model.answered" as const, usage: { inputTokens: 100 + n, outputTokens: 10 } },
    {
      type: "tool.finished" as const,
      tool: "Read",
      outcome: "ok" as const,
      input: { path: `src/${String(n)}.ts` },
      output: `text ${String(n)}`,
    },
  ]).flat();
  const end = {
    type: "run.finished" as const,
    reason: "done" as const,
    verified: false,
    phase: "exploring",
    outcome: "completed" as const,
  };
  return buildEvents<string>([...inputs, ...(ended ? [end] : [])], {
    id,
    graph: codingPhases,
    clock: () => (time += 1),
    ...(item !== undefined && { item: { id: item } }),
  });
}

async function appendSteps(store: RunStore, id: string, log: readonly RunEvent[]): Promise<void> {
  for (let at = 0; at < log.length; at += 3) await store.append(id, log.slice(at, at + 3), { after: at });
}

async function refuses(asked: Promise<unknown>, code: string, what = "an append"): Promise<void> {
  let found: unknown;
  try {
    await asked;
  } catch (error) {
    found = error;
  }
  if (!isPhasekitError(found, code))
    throw new Error(`Expected ${code} for ${what}, found ${found instanceof Error ? found.message : "no error"}.`);
}

function same(found: readonly unknown[], expected: readonly unknown[], problem: string): void {
  const text = (items: readonly unknown[]): string => items.map((item) => JSON.stringify(item)).join("\n");
  if (text(found) !== text(expected))
    throw new Error(
      `${problem}\n--- expected\n${text(expected).slice(0, 4000)}\n--- found\n${text(found).slice(0, 4000)}`,
    );
}
