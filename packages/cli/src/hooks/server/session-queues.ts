/** Work on sessions: one piece at a time for each, in the order it came. */
export interface SessionQueues {
  readonly inTurn: <T>(session: string, work: () => Promise<T>) => Promise<T>;
  /** Resolves once nothing waits. */
  readonly idle: () => Promise<unknown>;
}

/** Creates queues that know the last piece of work of each session. */
export function createSessionQueues(): SessionQueues {
  const last = new Map<string, Promise<unknown>>();
  return {
    inTurn: (session, work) => {
      const done = (last.get(session) ?? Promise.resolve()).then(work);
      const settled = done
        .catch(() => undefined)
        .then(() => {
          if (last.get(session) === settled) last.delete(session);
        });
      last.set(session, settled);
      return done;
    },
    idle: () => Promise.all(last.values()),
  };
}

/** The result of work, or another value if it takes too long. */
export function within<T>(limitMs: number, work: Promise<T>, otherwise: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(otherwise), limitMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
