import { setTimeout as delay } from "node:timers/promises";
import { type Client, guardPool, type Pool, quotedSchema } from "./database.ts";

/** The data that changes: events of runs, work items, or answers to reviews. */
export type ChangeTopic = "runs" | "work" | "reviews";

/** Waits for changes that anybody makes, in this process or another one. */
export interface ChangeWatch {
  /** Until something has changed since the last wait, the time is over, or the signal. One wait at a time. */
  readonly wait: (ms: number, options?: { readonly signal?: AbortSignal }) => Promise<void>;
  /** Stops watching. A watch that is not closed keeps its connection, and `pool.end()` waits for it. */
  readonly close: () => void;
}

/** Which changes, and where. */
export interface ChangeOptions {
  readonly topic: ChangeTopic;
  /** The schema with the tables. @default "phasekit" */
  readonly schema?: string | undefined;
  /** Listens for announcements; without, a wait lasts its time. @default true */
  readonly notifications?: boolean;
}

/** The announced change, or `undefined` if announcements may be missing. */
type Hear = (topic: string | undefined) => void;

const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Watches for changes with one connection of the pool, however many watch. Notifications are hints and may be lost:
 * look at the database after every wait, and never wait longer than you can bear to be late. A pool of a single
 * connection has none to spare; then, or while it cannot listen, a wait lasts its time.
 *
 * @example
 * const changes = watchChanges(pool, { topic: "work" });
 * for (;;) {
 *   await createPipeline({ store, contracts }).tick();
 *   await changes.wait(1000);
 * }
 */
export function watchChanges(pool: Pool, { schema: name, topic, notifications = true }: ChangeOptions): ChangeWatch {
  const channel = quotedSchema(name);
  guardPool(pool);
  let isNew = false;
  let wake = (): void => undefined;
  const hear: Hear = (heard) => {
    if (heard !== undefined && heard !== topic) return;
    isNew = true;
    wake();
  };
  const close = notifications && (pool.options?.max ?? 2) > 1 ? join(pool, channel, hear) : () => undefined;
  return {
    wait: async (ms, { signal } = {}) => {
      if (!isNew && signal?.aborted !== true) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
          signal?.addEventListener("abort", wake, { once: true });
        });
        signal?.removeEventListener("abort", wake);
      }
      // Before the caller looks: what comes while it looks ends the next wait immediately.
      isNew = false;
    },
    close,
  };
}

interface Ear {
  readonly hearers: Set<Hear>;
  readonly leaving: AbortController;
}

/** One connection for all who listen to a channel through a pool. */
const earsByPool = new WeakMap<Pool, Map<string, Ear>>();

function join(pool: Pool, channel: string, hear: Hear): () => void {
  const ears = earsByPool.get(pool) ?? new Map<string, Ear>();
  earsByPool.set(pool, ears);
  let ear = ears.get(channel);
  if (ear === undefined) {
    ear = { hearers: new Set(), leaving: new AbortController() };
    ears.set(channel, ear);
    void listen(pool, channel, ear);
  }
  const { hearers, leaving } = ear;
  hearers.add(hear);
  return () => {
    hearers.delete(hear);
    if (hearers.size > 0 || leaving.signal.aborted) return;
    ears.delete(channel);
    leaving.abort();
  };
}

/** Listens until the last watch ends; a lost connection is replaced. */
async function listen(pool: Pool, channel: string, { hearers, leaving: { signal } }: Ear): Promise<void> {
  for (let pause = SHORTEST_PAUSE_MS; !signal.aborted; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
    const client = await pool.connect().catch(() => undefined);
    if (client !== undefined) {
      const tell: Hear = (topic) => {
        for (const hear of hearers) hear(topic);
      };
      if (await listenOn(client, channel, { tell, signal })) pause = SHORTEST_PAUSE_MS;
      // It is subscribed, or broken: the pool must not hand it out again.
      client.release(true);
    }
    await delay(pause, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/** Resolves when the connection is lost or no longer wanted; false when it never listened. */
async function listenOn(
  client: Client,
  channel: string,
  { tell, signal }: { readonly tell: Hear; readonly signal: AbortSignal },
): Promise<boolean> {
  const lost = new Promise<void>((resolve) => {
    // It stays for as long as the connection exists: one that breaks late must not end the process.
    client.on("error", () => resolve());
    client.on("end", () => resolve());
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  client.on("notification", ({ payload }) => tell(payload));
  try {
    await client.query(`listen ${channel}`);
  } catch {
    return false;
  }
  // Something may have changed while no connection listened.
  tell(undefined);
  await lost;
  return true;
}
