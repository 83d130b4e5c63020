import { assembleRun } from "./assemble-run.ts";
import { type HostEvent, isHostEvent, type NewEvent, type RunEvent } from "./events/run-event.ts";
import { readLog } from "./read-log.ts";
import type { Run, RunOptions } from "./run.ts";

/** The decisions of other policies on an old run. */
export interface Simulation<TPhase extends string = string> {
  readonly run: Run<TPhase>;
  readonly events: readonly RunEvent[];
  /** The first host event of the old log whose decisions differ: exact until there, an estimate after. */
  readonly divergedAt: number | undefined;
  /** Results of calls that are refused now and were not then: skipped, and an upper bound of the saving. */
  readonly avoided: readonly HostEvent<"tool.finished">[];
  /** Events that answer a request which was not made again; kept out. */
  readonly ignored: number;
  /** Meaning came from `interpret` over stored excerpts, not from the log. */
  readonly reinterpreted: boolean;
}

/**
 * Keeps the host events of a log, drops what was derived, and decides again. It never invents what the agent would have
 * done: after `divergedAt` the agent's old behaviour is fed to new decisions. Give `interpret` to interpret again.
 *
 * @throws DAMAGED_LOG, UNKNOWN_EVENT, and what `createRun` throws
 */
export function simulateRun<const TPhase extends string = "working">(
  stored: readonly unknown[],
  options: RunOptions<TPhase> = {},
): Simulation<NoInfer<TPhase>> {
  const { header, events } = readLog(stored);
  const reinterpreted = options.interpret !== undefined;
  const { task, item, parent, limits } = header;
  // The rest of a parent's budget binds the child again, unless another budget is to be tried.
  const bound =
    parent !== undefined &&
    limits !== undefined &&
    !(options.policies ?? []).flat().some(({ name }) => name === "budget");
  const { run } = assembleRun<TPhase>(
    {
      id: header.run,
      mode: header.mode,
      clock: () => header.at,
      ...(task !== undefined && { task }),
      ...(item !== undefined && { item }),
      ...(parent !== undefined && { parent }),
      ...options,
    },
    bound ? { inherited: limits } : {},
  );
  const simulated: RunEvent[] = [];
  run.subscribe((step) => simulated.push(...step));
  const avoided: HostEvent<"tool.finished">[] = [];
  let divergedAt: number | undefined;
  let ignored = 0;
  let refused = new Set<string>();

  for (const then of stepsOf(events)) {
    const [event] = then;
    if (event.type !== "run.started") {
      if (event.type !== "clock.ticked") tickUntil(run, event.at);
      if (event.type === "tool.finished" && event.call !== undefined && refused.has(event.call)) {
        refused = new Set([...refused].filter((call) => call !== event.call));
        avoided.push(event);
        continue;
      }
      const from = simulated.length;
      if (!run.record(reinterpreted ? withoutMeaning(event) : event)) {
        ignored += 1;
      }
      const now = simulated.slice(from);
      if (divergedAt === undefined && !sameDecisions(then, now)) divergedAt = event.seq;
      if (event.type === "tool.requested" && isRefused(now) && !isRefused(then)) refused.add(event.call ?? "");
    } else if (!sameDecisions(then, simulated)) divergedAt ??= event.seq;
  }
  return { run, events: simulated, divergedAt, avoided, ignored, reinterpreted };
}

/** Deadlines that passed before the next event, each at its own time. */
function tickUntil(run: Run<never> | Run, at: number): void {
  for (let due = run.wakeAt; due !== undefined && due <= at; due = run.wakeAt) if (!run.tick(due)) return;
}

function stepsOf(events: readonly RunEvent[]): readonly (readonly [HostEvent, ...RunEvent[]])[] {
  const steps: [HostEvent, ...RunEvent[]][] = [];
  for (const event of events) {
    if (isHostEvent(event)) steps.push([event]);
    else steps.at(-1)?.push(event);
  }
  return steps;
}

function isRefused(step: readonly RunEvent[]): boolean {
  return step.some((event) => event.type === "tool.refused" && event.applied);
}

/** Compares decisions by their content, not by their place in the log. */
function sameDecisions(then: readonly RunEvent[], now: readonly RunEvent[]): boolean {
  if (then.length === 1 && now.length === 1) return true;
  return JSON.stringify(decisionsOf(then)) === JSON.stringify(decisionsOf(now));
}

function decisionsOf(step: readonly RunEvent[]): readonly object[] {
  return step.filter((event) => !isHostEvent(event)).map((event) => ({ ...event, seq: 0, cause: 0, at: 0 }));
}

function withoutMeaning(event: HostEvent): NewEvent {
  if (event.type !== "tool.requested" && event.type !== "tool.finished") return event as NewEvent;
  return { ...event, meaning: undefined };
}
