import type { RunEvent } from "@phasekit/core";
import { type DatabaseOptions, guardPool, type Pool, quotedSchema } from "./database.ts";
import { subscriptionTaken } from "./errors.ts";
import { withPatience } from "./patience.ts";
import { watchChanges } from "./watch-changes.ts";

/** An event of any run, on its way to a subscriber. */
export interface DeliveredEvent {
  readonly run: string;
  readonly event: RunEvent;
}

export interface SubscriptionOptions extends DatabaseOptions {
  /** Whose place in the events this is; one reader at a time. */
  readonly name: string;
  /** Events per delivery, at most. @default 500 */
  readonly batch?: number;
  /** How often to look for more when nothing wakes it, in milliseconds. @default 1000 */
  readonly pollMs?: number;
}

/** Reads the events of all runs in the order in which they were committed. */
export interface Subscription {
  /** Delivers the next events, if there are any, and then notes that they were; gives their number. */
  readonly deliver: (handle: Handler) => Promise<number>;
  /** Delivers again and again until the signal. */
  readonly follow: (handle: Handler, options: { readonly signal: AbortSignal }) => Promise<void>;
}

/** How soon to look again for events that an open transaction holds back. */
const HELD_BACK_MS = 50;

type Handler = (events: readonly DeliveredEvent[]) => Promise<void> | void;

/**
 * Follows all runs in one stream. Every event is delivered at least once and in order; one that was delivered before a
 * crash may come again, and its run and number tell. Events of a transaction that is still open hold back all that
 * came after it, so that none is ever missed. A second reader of the same name takes over.
 *
 * @example
 * const subscription = createPostgresSubscription(pool, { name: "search-index" });
 * await subscription.follow(async (events) => index(events), { signal });
 */
export function createPostgresSubscription(
  pool: Pool,
  {
    name,
    schema: schemaName,
    batch = 500,
    pollMs = 1000,
    patienceMs = 30_000,
    notifications = true,
  }: SubscriptionOptions,
): Subscription {
  const schema = quotedSchema(schemaName);
  guardPool(pool);
  const rows = async (text: string, ...values: unknown[]): Promise<Record<string, unknown>[]> =>
    withPatience(patienceMs, async () => (await pool.query({ text, values })).rows);
  let place: { readonly fence: string; tx: string; position: string } | undefined;

  async function takeOver(): Promise<NonNullable<typeof place>> {
    const [row] = await rows(
      `insert into ${schema}.subscription as one (name, tx, position, fence) values ($1, '0', 0, 1)
       on conflict (name) do update set fence = one.fence + 1 returning tx::text, position::text, fence::text`,
      name,
    );
    return { fence: String(row?.["fence"]), tx: String(row?.["tx"]), position: String(row?.["position"]) };
  }

  async function deliver(handle: Handler): Promise<number> {
    place ??= await takeOver();
    const found = await rows(
      // An older transaction that is still open may commit events in front of those that are there.
      `select run, body, tx::text, position::text from ${schema}.event
       where (tx, position) > ($1::xid8, $2::bigint) and tx < pg_snapshot_xmin(pg_current_snapshot())
       order by event.tx, event.position limit $3`,
      place.tx,
      place.position,
      batch,
    );
    const last = found.at(-1);
    if (last === undefined) return 0;
    await handle(found.map(({ run, body }) => ({ run: String(run), event: JSON.parse(String(body)) as RunEvent })));
    const moved = await rows(
      `update ${schema}.subscription set tx = $2::xid8, position = $3 where name = $1 and fence = $4 returning name`,
      name,
      last["tx"],
      last["position"],
      place.fence,
    );
    if (moved.length === 0) throw subscriptionTaken(name);
    place = { fence: place.fence, tx: String(last["tx"]), position: String(last["position"]) };
    return found.length;
  }

  /** True if events are there that an open transaction holds back: its end is not announced. */
  async function isHeldBack({ tx, position } = { tx: "0", position: "0" }): Promise<boolean> {
    const [row] = await rows(
      `select exists (select from ${schema}.event where (tx, position) > ($1::xid8, $2::bigint)) as held`,
      tx,
      position,
    );
    return row?.["held"] === true;
  }

  return {
    deliver,
    follow: async (handle, { signal }) => {
      const changes = watchChanges(pool, { schema: schemaName, topic: "runs", notifications });
      try {
        while (!signal.aborted) {
          if ((await deliver(handle)) > 0) continue;
          const pause = (await isHeldBack(place)) ? Math.min(pollMs, HELD_BACK_MS) : pollMs;
          await changes.wait(pause, { signal });
        }
      } finally {
        changes.close();
      }
    },
  };
}
