import { type HostEvent, isHostEvent, type NewEvent, type RunEvent } from "../events/run-event.ts";
import { openPlay } from "./play-run.ts";
import { readLog } from "./read-log.ts";
import { defined } from "../text/defined.ts";
import type { Run, RunOptions } from "../run/run.ts";

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
  const { task, item, parent, folder, limits } = header;
  // The rest of a parent's budget binds the child again, unless another budget is to be tried.
  const bound =
    parent !== undefined &&
    limits !== undefined &&
    !(options.policies ?? []).flat().some(({ name }) => name === "budget");
  const simulated: RunEvent[] = [];
  const { run, refused, take, passTime } = openPlay<TPhase>(
    { id: header.run, startedAt: header.at, ...defined({ task, parent, folder }) },
    {
      mode: header.mode,
      ...defined({ item }),
      ...options,
      subscribe: (step) => simulated.push(...step),
    },
    bound ? limits : undefined,
  );
  const avoided: HostEvent<"tool.finished">[] = [];
  let divergedAt: number | undefined;
  let ignored = 0;
  for (const then of stepsOf(events)) {
    const [event] = then;
    if (event.type === "run.started") {
      if (!sameDecisions(then, simulated)) divergedAt ??= event.seq;
      continue;
    }
    // Deadlines that pass before the event are decisions of their own.
    if (event.type !== "clock.ticked") passTime(event.at);
    const from = simulated.length;
    const played = take(reinterpreted ? withoutMeaning(event) : event);
    if (played === "avoided") {
      if (event.type === "tool.finished") avoided.push(event);
      continue;
    }
    if (played === "ignored") ignored += 1;
    // A result after a refusal that is not new was not avoided by it.
    if (event.type === "tool.requested" && isRefused(then)) refused.delete(event.call ?? "");
    if (divergedAt === undefined && !sameDecisions(then, simulated.slice(from))) divergedAt = event.seq;
  }
  return { run, events: simulated, divergedAt, avoided, ignored, reinterpreted };
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
