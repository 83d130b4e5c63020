import type { RunEvent } from "@phasekit/core";
import { buildEvents } from "@phasekit/core/testing";
import { setImmediate as immediate, setTimeout as delay } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { freshSchema, openPool } from "./__fixtures__/fresh-schema.ts";
import { watchChanges } from "./watch-changes.ts";
import type { Pool } from "./database.ts";
import { createPostgresReviewInbox } from "./postgres-review-inbox.ts";
import { createPostgresRunStore } from "./postgres-run-store.ts";
import { createPostgresSubscription } from "./postgres-subscription.ts";

const pool = openPool();
afterAll(() => pool.end());

/** So long that a test which waits for it fails. */
const NEVER_MS = 1_000_000_000;
const log = (id: string, turns = 3): readonly RunEvent[] =>
  buildEvents(
    Array.from({ length: turns }, () => ({ type: "turn.started" as const })),
    { id },
  );

/** The pool, with a count of the questions for events. */
function counting(to: Pool): { readonly pool: Pool; readonly polls: () => number } {
  let polls = 0;
  return {
    pool: {
      on: (event, listener) => to.on(event, listener),
      connect: () => to.connect(),
      query: (query) => {
        if (typeof query === "object" && query.text.includes("pg_snapshot_xmin")) polls += 1;
        return to.query(query);
      },
    },
    polls: () => polls,
  };
}

/** Follows until so many events were delivered. */
async function follow(
  on: Pool,
  {
    schema,
    count,
    pollMs = NEVER_MS,
    during,
  }: {
    readonly schema: string;
    readonly count: number;
    readonly pollMs?: number;
    readonly during: (delivered: () => number) => Promise<void>;
  },
): Promise<void> {
  const stop = new AbortController();
  let delivered = 0;
  const following = createPostgresSubscription(on, { schema, name: "s", pollMs }).follow(
    (events) => {
      delivered += events.length;
      if (delivered >= count) stop.abort();
    },
    { signal: stop.signal },
  );
  await during(() => delivered);
  await following;
  expect(delivered).toBe(count);
}

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
};
const listeners = async (schema: string): Promise<readonly number[]> => {
  const { rows } = await pool.query<{ pid: number }>({
    text: "select pid from pg_stat_activity where query = $1",
    values: [`listen "${schema}"`],
  });
  return rows.map(({ pid }) => pid);
};

describe("notifications", () => {
  it("wake a subscriber that would not look by itself, and many commits wake it few times", async () => {
    const schema = await freshSchema(pool);
    const store = createPostgresRunStore(pool, { schema });
    const counted = counting(pool);
    const events = log("a", 200);
    await follow(counted.pool, {
      schema,
      count: events.length,
      during: async () => {
        await until(async () => (await listeners(schema)).length === 1);
        for (const event of events) await store.append("a", [event], { after: event.seq - 1 });
      },
    });
    // One wake-up is at most two looks: one that finds something, and one that finds nothing more.
    expect(counted.polls()).toBeLessThan(events.length);
  });

  it("wake a follower of one run", async () => {
    const schema = await freshSchema(pool);
    const store = createPostgresRunStore(pool, { schema, pollMs: NEVER_MS });
    const events = log("a", 3);
    await store.append("a", events.slice(0, 1), { after: 0 });
    const seen: number[] = [];
    for await (const batch of store.tail("a")) {
      seen.push(...batch.map(({ seq }) => seq));
      const next = events[seen.length];
      if (next === undefined) break;
      await store.append("a", [next], { after: seen.length });
    }
    expect(seen).toEqual(events.map(({ seq }) => seq));
    await until(async () => (await listeners(schema)).length === 0);
  });

  it("a lost connection is replaced, and what was missed meanwhile is found", async () => {
    const schema = await freshSchema(pool);
    const store = createPostgresRunStore(pool, { schema, notifications: false });
    const events = log("a", 3);
    await follow(pool, {
      schema,
      count: events.length,
      during: async (delivered) => {
        await until(async () => (await listeners(schema)).length === 1);
        const [lost] = await listeners(schema);
        await pool.query({ text: "select pg_terminate_backend($1)", values: [lost] });
        // Nobody announces this one: it is the new connection that has it looked for.
        await store.append("a", events, { after: 0 });
        await until(() => delivered() === events.length);
        expect(await listeners(schema)).not.toContain(lost);
      },
    });
  });

  it("without a connection to listen on, subscribers look by themselves", async () => {
    const schema = await freshSchema(pool);
    const store = createPostgresRunStore(pool, { schema });
    const deaf: Pool = {
      on: (event, listener) => pool.on(event, listener),
      connect: () => Promise.reject(new Error("no connection to spare")),
      query: (query) => pool.query(query),
    };
    await follow(deaf, { schema, count: 4, pollMs: 5, during: () => store.append("a", log("a"), { after: 0 }) });
    const single = openPool(1);
    await follow(single, { schema, count: 4, pollMs: 5, during: () => store.append("b", log("b"), { after: 0 }) });
    expect(await listeners(schema)).toEqual([]);
    await single.end();
  });

  it("share one connection, however many watch, and give it back", async () => {
    const schema = await freshSchema(pool);
    const watches = Array.from({ length: 20 }, () => watchChanges(pool, { schema, topic: "runs" }));
    await until(async () => (await listeners(schema)).length > 0);
    expect((await listeners(schema)).length).toBe(1);
    for (const { close } of watches) close();
    await until(async () => (await listeners(schema)).length === 0);
  });

  it("are for their topic only, and one that comes between two waits ends the second", async () => {
    const schema = await freshSchema(pool);
    const [runs, work] = [watchChanges(pool, { schema, topic: "runs" }), watchChanges(pool, { schema, topic: "work" })];
    // The beginning of listening is a change: nobody knows what was before.
    await Promise.all([runs.wait(NEVER_MS), work.wait(NEVER_MS)]);
    await pool.query({ text: "select pg_notify($1, 'runs')", values: [schema] });
    await runs.wait(NEVER_MS);
    await pool.query({ text: "select pg_notify($1, 'runs')", values: [schema] });
    await runs.wait(NEVER_MS);
    // It has arrived here, and did not wake who waits for something else.
    expect(await Promise.race([work.wait(NEVER_MS).then(() => "woken"), immediate("asleep")])).toBe("asleep");
    const stop = new AbortController();
    const waiting = work.wait(NEVER_MS, { signal: stop.signal });
    stop.abort();
    await waiting;
    runs.close();
    work.close();
  });
});

describe("createPostgresReviewInbox", () => {
  it("brings one answer to whoever waits, and refuses a second", async () => {
    const schema = await freshSchema(pool);
    const [here, there] = [
      createPostgresReviewInbox(pool, { schema, pollMs: NEVER_MS }),
      createPostgresReviewInbox(pool, { schema }),
    ];
    const waiting = here.waitForAnswer("run-1", "review-1");
    expect(await there.answerReview("run-1", "review-1", { verdict: "needs-changes", feedback: "Shorter.\0" })).toBe(
      true,
    );
    expect(await there.answerReview("run-1", "review-1", { verdict: "approve" })).toBe(false);
    expect(await waiting).toEqual({ verdict: "needs-changes", feedback: "Shorter.\0" });
    expect(await here.waitForAnswer("run-1", "review-1")).toEqual({ verdict: "needs-changes", feedback: "Shorter.\0" });
  });

  it("takes only signed answers when it has a secret, and a forged one does not keep them out", async () => {
    const schema = await freshSchema(pool);
    const secret = "0123456789abcdef";
    const host = createPostgresReviewInbox(pool, { schema, pollMs: 10, secret });
    const agent = createPostgresReviewInbox(pool, { schema });
    const waiting = host.waitForAnswer("run-1", "asks:1");
    expect(await agent.answerReview("run-1", "asks:1", { verdict: "approve" })).toBe(true);
    for (const other of [
      createPostgresReviewInbox(pool, { schema, secret: "another secret!!" }),
      createPostgresReviewInbox(pool, { schema, secret }),
    ])
      await other.answerReview("run-2", "asks:1", { verdict: "approve" });
    // A signed answer to another review is not one to this.
    await pool.query(
      `update ${schema}.review_answer set body = (select body from ${schema}.review_answer where run = 'run-2')
       where run = 'run-1'`,
    );
    expect(await Promise.race([waiting, delay(200, "still waiting")])).toBe("still waiting");
    const page = createPostgresReviewInbox(pool, { schema, secret });
    expect(await page.answerReview("run-1", "asks:1", { verdict: "reject", feedback: "No." })).toBe(true);
    expect(await waiting).toEqual({ verdict: "reject", feedback: "No." });
    expect(await page.answerReview("run-1", "asks:1", { verdict: "approve" })).toBe(false);
    expect(() => createPostgresReviewInbox(pool, { schema, secret: "short" })).toThrow("secret");
  });

  it("stops waiting on a signal", async () => {
    const schema = await freshSchema(pool);
    const stop = new AbortController();
    const waiting = createPostgresReviewInbox(pool, { schema, pollMs: NEVER_MS }).waitForAnswer("run-1", "review-1", {
      signal: stop.signal,
    });
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });
});
