import { setTimeout as delay } from "node:timers/promises";
import { type Client, type DatabaseOptions, guardPool, type Pool, quotedSchema } from "./database.ts";

/** What changes: the events of runs, work items, or what people answer to reviews. */
export type ChangeTopic = "runs" | "work" | "reviews";

/** Waits for changes that anybody makes, in this process or another one. */
export interface ChangeWatch {
  /** Until something has changed since the last wait, the time is over, or the signal. */
  readonly wait: (ms: number, options?: { readonly signal?: AbortSignal }) => Promise<void>;
  /** Stops watching. A watch that is not closed keeps its connection, and `pool.end()` waits for it. */
  readonly close: () => void;
}

/** What was announced, or undefined: nobody knows what was missed. */
type Hear = (topic: string | undefined) => void;

/** Announcements are gathered for this long: a commit never waits for one, and many commits share one. */
const GATHER_MS = 20;
const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Watches for changes with one connection of the pool, however many watch. Notifications are hints and may be lost: look
 * at the database after every wait, and never wait longer than you can bear to be late. A pool of a single connection has
 * none to spare; then, or while nobody can listen, a wait lasts its time.
 *
 * @example
 * const changes = watchChanges(pool, { topic: "work" });
 * for (;;) {
 *   await processClaims(store, { contracts });
 *   await changes.wait(1000);
 * }
 */
export function watchChanges(pool: Pool, { schema: name, topic, notifications = true }: Pick<DatabaseOptions, "schema" | "notifications"> & { readonly topic: ChangeTopic }): ChangeWatch {
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
      // Before the caller looks: what comes while it looks ends the next wait at once.
      isNew = false;
    },
    close,
  };
}

/** Makes a function that says that something has changed, soon, and once for many times. */
export function createAnnouncer(pool: Pool, { schema: name, topic, notifications = true }: Pick<DatabaseOptions, "schema" | "notifications"> & { readonly topic: ChangeTopic }): () => void {
  if (!notifications) return () => undefined;
  const channel = quotedSchema(name).slice(1, -1);
  let isNew = false;
  let isSending = false;
  const send = async (): Promise<void> => {
    isSending = true;
    while (isNew) {
      await delay(GATHER_MS, undefined, { ref: false });
      isNew = false;
      // A hint need not survive a crash: nobody waits for the disk, least of all those who commit behind it.
      await pool.query({ name: "phasekit-announce", text: "select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)", values: [channel, topic] }).catch(() => undefined);
    }
    isSending = false;
  };
  return () => {
    isNew = true;
    if (!isSending) void send();
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

/** Listens until nobody wants to hear any more; a lost connection is replaced. */
async function listen(pool: Pool, channel: string, { hearers, leaving: { signal } }: Ear): Promise<void> {
  for (let pause = SHORTEST_PAUSE_MS; !signal.aborted; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
    const client = await pool.connect().catch(() => undefined);
    if (client !== undefined) {
      const tell: Hear = (topic) => {
        for (const hear of hearers) hear(topic);
      };
      if (await listenOn(client, channel, { tell, signal })) pause = SHORTEST_PAUSE_MS;
      // It is subscribed, or broken: nobody else should get it.
      client.release(true);
    }
    await delay(pause, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/** Resolves when the connection is lost or no longer wanted; false when it never listened. */
async function listenOn(client: Client, channel: string, { tell, signal }: { readonly tell: Hear; readonly signal: AbortSignal }): Promise<boolean> {
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
  // Something may have changed while nobody listened.
  tell(undefined);
  await lost;
  return true;
}
