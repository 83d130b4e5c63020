import type { PhaseRecord } from "./phase-record.ts";

/** One kind of event inside a phase: when it was seen first and last, and how often. */
export interface SubLoopFold {
  readonly first: number;
  last: number;
  count: number;
}

const MAX_KINDS = 200;
const MAX_ROWS = 20;

/** Events that frame the work: the life of a run, commands to it, questions of the host, the passing of time. */
const FRAME: ReadonlySet<string> = new Set([
  "run.started",
  "run.resumed",
  "run.finished",
  "move.requested",
  "turn.started",
  "finish.requested",
  "clock.ticked",
  "event.rejected",
]);

/** Counts one event of the host, by its loop or else its type. What frames the work counts only in a named loop. */
export function foldSubLoop(
  loops: Map<string, SubLoopFold>,
  { type: eventType, loop: name, at }: { readonly type: string; readonly loop?: string; readonly at: number },
): void {
  if (name === undefined && FRAME.has(eventType)) return;
  const type = name ?? eventType;
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
