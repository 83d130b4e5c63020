import { callOf } from "@phasekit/core/account";
import type { EventOf } from "@phasekit/core";

/** One tool call of a run. */
interface CallEntry {
  /** The number of the call, from 1. */
  readonly call: number;
  /** A readable name: the tool and its main argument. Foreign text. */
  readonly what: string;
  /** The identity of the question the call asks. */
  readonly about: string;
  /** Tokens spent by the run before this call. */
  readonly tokensBefore: number;
}

/** The last calls of a run, to find the start of a loop. */
export interface CallRing {
  readonly add: (event: EventOf<"tool.requested"> | EventOf<"tool.finished">, tokens: number) => CallEntry;
  readonly count: () => number;
  readonly last: () => CallEntry | undefined;
  /** Returns the newest call with an identity. */
  readonly find: (about: string) => CallEntry | undefined;
  /** Returns the first of the last `times` calls with an identity; `undefined` if there are not as many. */
  readonly firstOf: (about: string, times: number) => CallEntry | undefined;
  /** Returns the call `steps` before the newest one, or the oldest one in the ring. */
  readonly back: (steps: number) => CallEntry | undefined;
}

const SIZE = 200;

/** Remembers the last 200 calls. */
export function createCallRing(): CallRing {
  const ring: CallEntry[] = [];
  let count = 0;
  return {
    add: (event, tokensBefore) => {
      count += 1;
      const entry: CallEntry = {
        call: count,
        what: callOf(event).label,
        about: callOf(event).about,
        tokensBefore,
      };
      ring.push(entry);
      if (ring.length > SIZE) ring.shift();
      return entry;
    },
    count: () => count,
    last: () => ring.at(-1),
    find: (about) => ring.findLast((entry) => entry.about === about),
    firstOf: (about, times) => ring.filter((entry) => entry.about === about).at(-times),
    back: (steps) => ring.at(-1 - steps) ?? ring[0],
  };
}
