import { setBounded } from "@phasekit/core/adapter";
/** A call that waits for its result. */
interface OpenCall {
  /** Its id in the events. Open calls have unique ids. */
  readonly call: string;
  readonly tool: string;
}

/** Pairs calls and results. Transcripts may omit ids, use them twice, and repeat results. */
export interface CallPairs {
  /** Adds a call and returns its id in the events, which is not one of the `taken` ids. */
  readonly open: (given: string | undefined, tool: string, taken?: ReadonlySet<string>) => string;
  /** Returns the call of a result, "repeated" if it has a result already, `undefined` if there is no such call. */
  readonly close: (given: string | undefined) => OpenCall | "repeated" | undefined;
  /** True if a call with this id has no result yet. */
  readonly isOpen: (given: string) => boolean;
  /** The original id of the oldest open call of a tool. */
  readonly openCall: (tool: string) => string | undefined;
}

const MAX_OPEN = 10_000;
const MAX_DONE = 1000;

/** The pairs of one run. */
export function createCallPairs(): CallPairs {
  // A list per id, oldest first: a transcript may use an id again while its call is open.
  const open = new Map<string, OpenCall[]>();
  const done = new Map<string, true>();
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
      const isFree = same.length === 0 && taken?.has(key) !== true;
      const call = given === undefined ? `call-${String(made)}` : isFree ? given : `${given}#${String(made)}`;
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
        setBounded(done, [given, true], MAX_DONE);
      }
      return call;
    },
    isOpen: (given) => open.has(given),
    openCall: (tool) => [...open].find(([, calls]) => calls.some((call) => call.tool === tool))?.[0],
  };
}
