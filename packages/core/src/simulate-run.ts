import { assembleRun } from "./assemble-run.ts";
import { type HostEvent, isHostFact, type NewFact, type RunEvent } from "./facts/run-event.ts";
import { readLog } from "./read-log.ts";
import type { Run, RunOptions } from "./run.ts";

/** What other policies would have decided on an old run. */
export interface Simulation<TPhase extends string = string> {
  readonly run: Run<TPhase>;
  readonly events: readonly RunEvent[];
  /** The first host fact of the old log whose decisions differ: exact until there, an estimate after. */
  readonly divergedAt: number | undefined;
  /** Results of calls that would have been refused and were not then: skipped here, and an upper bound of the saving. */
  readonly avoided: readonly HostEvent<"tool.finished">[];
  /** Facts that answer a request which was not made again; kept out. */
  readonly ignored: number;
  /** Meaning came from `interpret` over stored excerpts, not from the log. */
  readonly reinterpreted: boolean;
}

/**
 * Keeps the host facts of a log, drops what was derived, and decides again. It never invents what the agent would have
 * done: after `divergedAt` the agent's old behaviour is fed to new decisions. Give `interpret` to interpret again.
 *
 * @throws DAMAGED_LOG, UNKNOWN_EVENT, and what `createRun` throws
 */
export function simulateRun<const TPhase extends string = "working">(stored: readonly unknown[], options: RunOptions<TPhase> = {}): Simulation<NoInfer<TPhase>> {
  const { header, events } = readLog(stored);
  const reinterpreted = options.interpret !== undefined;
  const { task, item, parent, limits } = header;
  // What a parent left binds the child again, unless another budget is to be tried.
  const bound = parent !== undefined && limits !== undefined && !(options.policies ?? []).flat().some(({ name }) => name === "budget");
  const { run } = assembleRun<TPhase>({
    id: header.run, mode: header.mode, clock: () => header.at,
    ...(task !== undefined && { task }), ...(item !== undefined && { item }), ...(parent !== undefined && { parent }),
    ...options,
  }, bound ? { inherited: limits } : {});
  const simulated: RunEvent[] = [];
  run.subscribe((step) => simulated.push(...step));
  const avoided: HostEvent<"tool.finished">[] = [];
  let divergedAt: number | undefined;
  let ignored = 0;
  let refused = new Set<string>();

  for (const then of stepsOf(events)) {
    const [fact] = then;
    if (fact.type !== "run.started") {
      if (fact.type !== "clock.ticked") tickUntil(run, fact.at);
      if (fact.type === "tool.finished" && fact.call !== undefined && refused.has(fact.call)) {
        refused = new Set([...refused].filter((call) => call !== fact.call));
        avoided.push(fact);
        continue;
      }
      const from = simulated.length;
      if (!run.record(reinterpreted ? withoutMeaning(fact) : (fact))) {
        ignored += 1;
      }
      const now = simulated.slice(from);
      if (divergedAt === undefined && !sameDecisions(then, now)) divergedAt = fact.seq;
      if (fact.type === "tool.requested" && isRefused(now) && !isRefused(then)) refused.add(fact.call ?? "");
    } else if (!sameDecisions(then, simulated)) divergedAt ??= fact.seq;
  }
  return { run, events: simulated, divergedAt, avoided, ignored, reinterpreted };
}

/** Deadlines that passed before the next fact, each at its own time. */
function tickUntil(run: Run<never> | Run, at: number): void {
  for (let due = run.wakeAt; due !== undefined && due <= at; due = run.wakeAt) if (!run.tick(due)) return;
}

function stepsOf(events: readonly RunEvent[]): readonly (readonly [HostEvent, ...RunEvent[]])[] {
  const steps: [HostEvent, ...RunEvent[]][] = [];
  for (const event of events) {
    if (isHostFact(event)) steps.push([event]);
    else steps.at(-1)?.push(event);
  }
  return steps;
}

function isRefused(step: readonly RunEvent[]): boolean {
  return step.some((event) => event.type === "tool.refused" && event.applied);
}

/** Decisions are compared by what they say, not by where they stand. */
function sameDecisions(then: readonly RunEvent[], now: readonly RunEvent[]): boolean {
  if (then.length === 1 && now.length === 1) return true;
  return JSON.stringify(decisionsOf(then)) === JSON.stringify(decisionsOf(now));
}

function decisionsOf(step: readonly RunEvent[]): readonly object[] {
  return step.filter((event) => !isHostFact(event)).map((event) => ({ ...event, seq: 0, cause: 0, at: 0 }));
}

function withoutMeaning(fact: HostEvent): NewFact {
  if (fact.type !== "tool.requested" && fact.type !== "tool.finished") return fact as NewFact;
  return { ...fact, meaning: undefined };
}
