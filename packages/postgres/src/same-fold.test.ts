import { codingPhases, createRun, replayRun, type RunEvent } from "@phasekit/core";
import { createMemoryStore, readRun, type RunStore, summarizeRun } from "@phasekit/ledger";
import { createFileStore } from "@phasekit/ledger/node";
import fc from "fast-check";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { freshSchema, openPool } from "./__fixtures__/fresh-schema.ts";
import { createPostgresRunStore } from "./postgres-run-store.ts";

const pool = openPool();
const folder = mkdtempSync(join(tmpdir(), "phasekit-fold-"));
afterAll(async () => {
  await pool.end();
  rmSync(folder, { recursive: true });
});

const text = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: "binary", maxLength: 10 }),
  fc.constantFrom("\0", "\ud800", "1e400", "'; drop table run; --", "$1", "\u2028", '{"k":"#"}'),
);
const input = fc.oneof(
  fc.record({ type: fc.constant("turn.started" as const) }),
  fc.record({
    type: fc.constant("tool.finished" as const),
    tool: fc.constantFrom("Read", "Edit", "Bash"),
    outcome: fc.constantFrom("ok" as const, "error" as const),
    input: fc.record({ path: text, n: fc.double() }),
    output: text,
  }),
  fc.record({ type: fc.constant("message.sent" as const), text }),
  fc.record({
    type: fc.constant("check.finished" as const),
    check: fc.constant("compile"),
    outcome: fc.constantFrom("success" as const, "failure" as const),
    count: fc.nat(9),
    first: text,
  }),
);

it("a history gives the same log, fold and summary in memory, in files and in PostgreSQL", async () => {
  const files = createFileStore(join(folder, "runs"));
  const stores: readonly RunStore[] = [
    createMemoryStore(),
    files,
    createPostgresRunStore(pool, { schema: await freshSchema(pool) }),
  ];
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(input, { minLength: 1, maxLength: 30 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      async (inputs, sizes) => {
        const id = `run-${String((runs += 1))}`;
        let time = 1000 * runs;
        const events: RunEvent[] = [];
        const run = createRun({ id, graph: codingPhases, clock: () => (time += 1) });
        run.subscribe((step) => events.push(...step));
        for (const one of inputs) run.record(one);
        if (inputs.length % 2 === 0) run.end({ reason: "done" });
        for (let at = 0, n = 0; at < events.length; n += 1) {
          const size = sizes[n % sizes.length] ?? 1;
          for (const store of stores) await store.append(id, events.slice(at, at + size), { after: at });
          at += size;
        }
        const [first, ...others] = await Promise.all(
          stores.map(async (store) => {
            const read = await readRun(store, id);
            const { phase, turn, toolCalls, status } = replayRun(read, { graph: codingPhases }).run.view;
            return JSON.stringify({ read, summary: summarizeRun(read), view: { phase, turn, toolCalls, status } });
          }),
        );
        for (const other of others) expect(other).toBe(first);
      },
    ),
    { numRuns: 40 },
  );
  // While it is open, the file store knows that the writer of a run without an end lives, and says so.
  await files.close();
  const [first, ...others] = await Promise.all(
    stores.map(async (store) => JSON.stringify(await store.list({ limit: Infinity }))),
  );
  for (const other of others) expect(other).toBe(first);
});
