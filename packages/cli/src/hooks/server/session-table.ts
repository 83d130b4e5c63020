/** The sessions that are in memory. */
export interface SessionTable<T> {
  readonly get: (key: string) => T | undefined;
  /** The session, which is now the last one that was used. */
  readonly use: (key: string) => T | undefined;
  /** Adds a session. Returns the keys of those that were set aside for it. */
  readonly add: (key: string, session: T) => readonly string[];
  readonly delete: (key: string) => void;
  readonly clear: () => void;
  readonly size: () => number;
  readonly newestFirst: () => readonly (readonly [string, T])[];
}

export interface SessionTableOptions {
  readonly clock: () => number;
  readonly maxSessions: number;
  /** The memory that the process uses, in bytes. @default the used part of the heap */
  readonly memory?: () => number;
}

/** Most sessions that are not used for so long were closed without a word. */
const IDLE_MS = 30 * 60 * 1000;
/** The number of sessions that stay in memory in any case: their user may still waive a gate. */
const FEW = 64;
/** Sessions take a third of a megabyte each, so this is where the limit of memory begins to matter. */
const MANY = 256;
const MAX_MEMORY = 200 * 1024 * 1024;
/** Looking at the memory costs more than taking an event. */
const LOOK_EVERY = 32;

/**
 * Keeps sessions in memory as long as there is room. First the sessions make room that were not used for long. If all
 * are in use, some out of the middle do: were it the oldest, sessions that take turns would all be read from their logs
 * again, each time.
 */
export function createSessionTable<T>({
  clock,
  maxSessions,
  memory = () => process.memoryUsage().heapUsed,
}: SessionTableOptions): SessionTable<T> {
  const sessions = new Map<string, { readonly session: T; usedAt: number }>();
  let added = 0;

  function isFull(): boolean {
    if (sessions.size >= maxSessions) return true;
    return sessions.size > MANY && added % LOOK_EVERY === 0 && memory() > MAX_MEMORY;
  }

  function setAside(): readonly string[] {
    if (sessions.size < FEW) return [];
    const now = clock();
    const idle = [...sessions].filter(([, { usedAt }]) => now - usedAt > IDLE_MS).map(([key]) => key);
    const middle = sessions.size >> 1;
    const some =
      idle.length > 0 || !isFull() ? idle : [...sessions.keys()].slice(middle, middle + (sessions.size >> 4));
    for (const key of some) sessions.delete(key);
    return some;
  }

  return {
    get: (key) => sessions.get(key)?.session,
    use: (key) => {
      const known = sessions.get(key);
      if (known === undefined) return undefined;
      sessions.delete(key);
      sessions.set(key, { session: known.session, usedAt: clock() });
      return known.session;
    },
    add: (key, session) => {
      added += 1;
      const aside = setAside();
      sessions.set(key, { session, usedAt: clock() });
      return aside;
    },
    delete: (key) => void sessions.delete(key),
    clear: () => sessions.clear(),
    size: () => sessions.size,
    newestFirst: () => [...sessions].reverse().map(([key, { session }]) => [key, session] as const),
  };
}
