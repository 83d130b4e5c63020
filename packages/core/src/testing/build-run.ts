import { assembleRun } from "../run/assemble-run.ts";
import type { Decision } from "../policies/decision.ts";
import type { HostEvent, NewEvent, RunEvent } from "../events/run-event.ts";
import type { DecidingType, Policy } from "../policies/policy.ts";
import type { RunOptions, RunPort } from "../run/run.ts";
import type { RunView } from "../view/run-view.ts";

/** A clock that a test moves by hand; it starts at 1,000 and advances by `step` with every reading. */
export function manualClock({ start = 1000, step = 0 }: { readonly start?: number; readonly step?: number } = {}): {
  readonly now: () => number;
  readonly advance: (ms: number) => void;
} {
  let time = start;
  return {
    now: () => {
      const reading = time;
      time += step;
      return reading;
    },
    advance: (ms) => {
      time += ms;
    },
  };
}

/** Options of a run for tests: time and ids are fixed unless given. */
export type BuildOptions<TPhase extends string> = RunOptions<TPhase> & {
  /** Events to record first. */
  readonly events?: readonly NewEvent[];
};

/** Records events one after the other. */
export function feed(run: RunPort, events: readonly NewEvent[]): void {
  for (const event of events) run.record(event);
}

/**
 * The log a list of events leads to, with everything the policies derive from them.
 *
 * @example
 * const events = buildEvents([{ type: "turn.started" }, { type: "tool.finished", tool: "Read", outcome: "ok" }]);
 */
export function buildEvents<const TPhase extends string = "working">(
  recorded: readonly NewEvent[],
  options: RunOptions<TPhase> = {},
): readonly RunEvent[] {
  const { run } = assembleRun<TPhase>({ id: "run", clock: manualClock({ step: 1 }).now, ...options });
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));
  feed(run, recorded);
  return events;
}

/**
 * The view a policy would read: a run after `events`, with single members replaced where a test only cares about those.
 *
 * @example
 * decideOn(stallReminder({ afterTurns: 8 }), buildRun({ turnsInPhase: 9 }))
 */
export function buildRun(members: Partial<RunView> & BuildOptions<string> = {}): RunView<string> {
  const { events = [], graph, policies, mode, task, item, ...rest } = members;
  const { run, stepper } = assembleRun<string>({
    id: "run",
    clock: manualClock({ step: 1 }).now,
    ...(graph !== undefined && { graph }),
    ...(policies !== undefined && { policies }),
    ...(mode !== undefined && { mode }),
    ...(task !== undefined && { task }),
    ...(item !== undefined && { item }),
  });
  feed(run, events);
  // The questions of the view go by the state, everything else by what is returned.
  Object.assign(stepper.view, rest);
  return { ...run.view, ...rest };
}

/** Returns the decisions of a policy on one event. The state is the policy's initial one unless given. */
export function decideOn<TState, TPhase extends string>(
  policy: Policy<TState, TPhase>,
  run: RunView<string>,
  { event = { type: "turn.started" }, state }: { readonly event?: NewEvent; readonly state?: TState } = {},
): readonly Decision[] {
  const decide = policy.decide?.[event.type as DecidingType] as
    | ((run: RunView<string>, state: unknown, event: HostEvent) => Decision | readonly Decision[] | undefined)
    | undefined;
  const stamped = { seq: run.seq + 1, at: run.now, meaning: {}, ...event } as unknown as HostEvent;
  const decisions = decide?.(run, state ?? policy.initial?.(), stamped);
  return decisions === undefined ? [] : [decisions].flat();
}
