import type { PhaseRecord } from "./phase-record.ts";

/** One kind of event inside a phase: when it was seen first and last, and how often. */
export interface SubLoopFold {
  readonly first: number;
  last: number;
  count: number;
}

const MAX_KINDS = 200;
const MAX_ROWS = 20;

/** Counts one event of a sub-loop. */
export function foldSubLoop(loops: Map<string, SubLoopFold>, type: string, at: number): void {
  const loop = loops.get(type);
  if (loop !== undefined) {
    loop.count += 1;
    loop.last = at;
  } else if (loops.size < MAX_KINDS) loops.set(type, { first: at, last: at, count: 1 });
}

/** One row per sub-loop, the costliest first: by time from first to last, then by count. */
export function subLoopRows(loops: ReadonlyMap<string, SubLoopFold>): NonNullable<PhaseRecord["subLoops"]> {
  return [...loops]
    .map(([type, { first, last, count }]) => ({ type, eventCount: count, elapsedMs: last - first }))
    .sort((a, b) => b.elapsedMs - a.elapsedMs || b.eventCount - a.eventCount || (a.type < b.type ? -1 : 1))
    .slice(0, MAX_ROWS);
}
