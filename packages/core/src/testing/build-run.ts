import { assembleRun } from "../assemble-run.ts";
import type { Decision } from "../decision.ts";
import type { HostEvent, NewFact, RunEvent } from "../facts/run-event.ts";
import type { DecidingType, Policy } from "../policy.ts";
import type { RunOptions, RunPort } from "../run.ts";
import type { RunView } from "../run-view.ts";

/** A clock that a test moves by hand; it starts at 1,000 and goes on by `step` with every reading. */
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
    advance: (ms) => { time += ms; },
  };
}

/** Options of a run for tests: time and ids are fixed unless given. */
export type BuildOptions<TPhase extends string> = RunOptions<TPhase> & {
  /** Facts to record first. */
  readonly facts?: readonly NewFact[];
};

/** Records facts one after the other. */
export function feed(run: RunPort, facts: readonly NewFact[]): void {
  for (const fact of facts) run.record(fact);
}

/**
 * The log a list of facts leads to, with everything the policies derive from them.
 *
 * @example
 * const events = buildEvents([{ type: "turn.started" }, { type: "tool.finished", tool: "Read", outcome: "ok" }]);
 */
export function buildEvents<const TPhase extends string = "working">(facts: readonly NewFact[], options: RunOptions<TPhase> = {}): readonly RunEvent[] {
  const { run } = assembleRun<TPhase>({ id: "run", clock: manualClock({ step: 1 }).now, ...options });
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));
  feed(run, facts);
  return events;
}

/**
 * What a policy would read: a run after `facts`, with single members replaced where a test only cares about those.
 *
 * @example
 * decideOn(stallReminder({ afterTurns: 8 }), buildRun({ turnsInPhase: 9 }))
 */
export function buildRun(members: Partial<RunView> & BuildOptions<string> = {}): RunView<string> {
  const { facts = [], graph, policies, mode, task, item, ...rest } = members;
  const { run } = assembleRun<string>({
    id: "run", clock: manualClock({ step: 1 }).now,
    ...(graph !== undefined && { graph }), ...(policies !== undefined && { policies }), ...(mode !== undefined && { mode }),
    ...(task !== undefined && { task }), ...(item !== undefined && { item }),
  });
  feed(run, facts);
  return Object.assign(run.view, rest);
}

/** What a policy decides on one fact, given what it would read. The state is the policy's initial one unless given. */
export function decideOn<TState, TPhase extends string>(
  policy: Policy<TState, TPhase>,
  run: RunView<string>,
  { fact = { type: "turn.started" }, state }: { readonly fact?: NewFact; readonly state?: TState } = {},
): readonly Decision[] {
  const decide = policy.decide?.[fact.type as DecidingType] as
    | ((run: RunView<string>, state: unknown, event: HostEvent) => Decision | readonly Decision[] | undefined)
    | undefined;
  const event = { seq: run.seq + 1, at: run.now, meaning: {}, ...fact } as unknown as HostEvent;
  const decisions = decide?.(run, state ?? policy.initial?.(), event);
  return decisions === undefined ? [] : [decisions].flat();
}
