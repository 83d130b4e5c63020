import type { EventOf } from "@phasekit/core";
import { labelOf } from "@phasekit/watchdog";

/** A call as a story tells it. */
interface ToldCall {
  /** Calls are counted from 1. */
  readonly call: number;
  /** What a person would call it: the tool and its main argument. Foreign text. */
  readonly what: string;
  readonly fingerprint: string;
  /** Tokens spent by the run before this call. */
  readonly tokensBefore: number;
}

/** The last calls of a run, for telling where a loop began. */
export interface CallRing {
  readonly add: (event: EventOf<"tool.requested"> | EventOf<"tool.finished">, tokens: number) => ToldCall;
  readonly count: () => number;
  readonly last: () => ToldCall | undefined;
  /** The newest call of a fingerprint. */
  readonly find: (fingerprint: string) => ToldCall | undefined;
  /** The first of the last so many calls of a fingerprint, as far back as the ring goes. */
  readonly firstOf: (fingerprint: string, times: number) => ToldCall | undefined;
  /** The call so many before the newest one, as far back as the ring goes. */
  readonly back: (steps: number) => ToldCall | undefined;
}

const SIZE = 200;

/** Remembers the last 200 calls. */
export function createCallRing(): CallRing {
  const ring: ToldCall[] = [];
  let count = 0;
  return {
    add: (event, tokensBefore) => {
      count += 1;
      const { fingerprint = "" } = event.meaning;
      const told: ToldCall = { call: count, what: fingerprint === "" ? describeWithout(event) : labelOf(fingerprint), fingerprint, tokensBefore };
      ring.push(told);
      if (ring.length > SIZE) ring.shift();
      return told;
    },
    count: () => count,
    last: () => ring.at(-1),
    find: (fingerprint) => ring.findLast((told) => told.fingerprint === fingerprint),
    firstOf: (fingerprint, times) => {
      const same = ring.filter((told) => told.fingerprint === fingerprint);
      return same.at(-times) ?? same[0];
    },
    back: (steps) => ring.at(-1 - steps) ?? ring[0],
  };
}

function describeWithout({ tool, meaning }: EventOf<"tool.requested"> | EventOf<"tool.finished">): string {
  return [tool, meaning.targets?.[0] ?? ""].join(" ").trim();
}
