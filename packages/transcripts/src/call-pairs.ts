/** A call that waits for its result. */
interface OpenCall {
  /** The id it has in the facts: no two open calls share one. */
  readonly call: string;
  readonly tool: string;
}

/** Puts calls and results together, whatever a transcript does with ids: leaves them out, uses them twice, repeats results. */
export interface CallPairs {
  /** A call is made; its id in the facts, which is none of those that are `taken`. */
  readonly open: (given: string | undefined, tool: string, taken?: ReadonlySet<string>) => string;
  /** A result comes: the call it belongs to, "repeated" when that call has one already, `undefined` when nobody made it. */
  readonly close: (given: string | undefined) => OpenCall | "repeated" | undefined;
  /** Whether a call with this id waits for its result. */
  readonly isOpen: (given: string) => boolean;
  /** The id, as it was given, of the oldest open call of a tool. */
  readonly openCall: (tool: string) => string | undefined;
}

const MAX_OPEN = 10_000;
const MAX_DONE = 1000;

/** The pairs of one run. */
export function createCallPairs(): CallPairs {
  // A list per id, oldest first: an id that is used again while it is open belongs to the later call.
  const open = new Map<string, OpenCall[]>();
  const done = new Set<string>();
  let made = 0;
  let waiting = 0;

  function forgetOldest(): void {
    const [key, calls] = open.entries().next().value ?? [];
    if (key === undefined || calls === undefined) return;
    open.delete(key);
    waiting -= calls.length;
  }

  return {
    open: (given, tool, taken) => {
      made += 1;
      const key = given ?? "";
      const same = open.get(key) ?? [];
      const call = given === undefined ? `call-${String(made)}` : same.length === 0 && taken?.has(given) !== true ? given : `${given}#${String(made)}`;
      same.push({ call, tool });
      open.set(key, same);
      waiting += 1;
      if (waiting > MAX_OPEN) forgetOldest();
      return call;
    },
    close: (given) => {
      const key = given ?? "";
      const calls = open.get(key);
      const call = calls?.shift();
      if (call === undefined) return done.has(key) ? "repeated" : undefined;
      if (calls?.length === 0) open.delete(key);
      waiting -= 1;
      if (given !== undefined) {
        done.add(given);
        if (done.size > MAX_DONE) done.delete(done.values().next().value ?? "");
      }
      return call;
    },
    isOpen: (given) => open.has(given),
    openCall: (tool) => [...open].find(([, calls]) => calls.some((call) => call.tool === tool))?.[0],
  };
}
