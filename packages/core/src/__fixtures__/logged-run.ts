import type { EventOf, EventType, RunEvent } from "../events/run-event.ts";
import { createRun, type Run, type RunOptions } from "../run/run.ts";
import { manualClock } from "../testing/build-run.ts";

/** A run with a fixed id, a clock that only a test moves, and its log. */
export interface LoggedRun<TPhase extends string> {
  readonly run: Run<TPhase>;
  readonly clock: ReturnType<typeof manualClock>;
  readonly log: readonly RunEvent[];
  /** The events of one type, in order. */
  readonly of: <K extends EventType>(type: K) => readonly EventOf<K>[];
  /** The types of the events from a sequence number on. */
  readonly typesFrom: (seq: number) => readonly EventType[];
}

export function loggedRun<const TPhase extends string = "working">(
  options: RunOptions<TPhase> = {},
): LoggedRun<TPhase> {
  const clock = manualClock();
  const log: RunEvent[] = [];
  const run = createRun<TPhase>({ id: "run", clock: clock.now, ...options });
  run.subscribe((step) => log.push(...step));
  return {
    run,
    clock,
    log,
    of: <K extends EventType>(type: K) =>
      log.filter(({ type: found }) => found === type) as unknown as readonly EventOf<K>[],
    typesFrom: (seq) => log.slice(seq - 1).map(({ type }) => type),
  };
}

/** Events as they come back from a store. */
export function stored(log: readonly RunEvent[]): readonly unknown[] {
  return JSON.parse(JSON.stringify(log)) as readonly unknown[];
}
