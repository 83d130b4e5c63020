import type { RunEvent } from "@phasekit/core";

/** The n-th event of a log that anyone can check: what it holds follows from its number alone. */
export function knownEvent(run: string, seq: number, { size = 200 }: { readonly size?: number } = {}): RunEvent {
  if (seq === 1)
    return {
      type: "run.started",
      seq,
      at: 1000,
      run,
      phase: "working",
      mode: "nudge",
      attempt: 1,
      policies: [],
      interpreters: [],
    };
  const output = `${run} ${String(seq)} `
    .repeat(1 + ((seq * 7919) % Math.max(1, Math.floor(size / 8))))
    .slice(0, Math.max(1, (seq * 7919) % size));
  return {
    type: "tool.finished",
    seq,
    at: 1000 + seq,
    turn: seq,
    call: `c${String(seq)}`,
    index: 0,
    tool: "Read",
    outcome: "ok",
    output,
    meaning: { activity: "read" },
  };
}

export function knownEvents(
  run: string,
  { first, last, size }: { readonly first: number; readonly last: number; readonly size?: number },
): readonly RunEvent[] {
  return Array.from({ length: last - first + 1 }, (_, index) =>
    knownEvent(run, first + index, size === undefined ? {} : { size }),
  );
}

/** A random number generator with a seed (mulberry32): a failing case can be run again. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
