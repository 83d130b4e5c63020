import { otherGraph } from "../errors.ts";
import type { PhaseGraph } from "../graph/phase-graph.ts";
import { assembleRun, type AssembledRun, WORKING } from "../run/assemble-run.ts";
import type { HostEvent, RunEvent } from "../events/run-event.ts";
import { lastStepIndex, readLog } from "./read-log.ts";
import type { Run, RunOptions } from "../run/run.ts";

/** A run read back from its log. */
export interface ReplayedRun<TPhase extends string = string> {
  /** Live: it continues where the log ends. */
  readonly run: Run<TPhase>;
  /** The events a crash cut off from the last step; append them to the log before anything else. */
  readonly missing: readonly RunEvent[];
}

/**
 * Folds a log without deciding anything, then takes the last host event live, so that decisions a crash cut off are
 * made after all. If the policies changed and would decide that event otherwise, the log is kept as it is.
 *
 * @throws DAMAGED_LOG, UNKNOWN_EVENT, OTHER_GRAPH, and what `createRun` throws
 */
export function replayRun<const TPhase extends string = "working">(
  stored: readonly unknown[],
  options: RunOptions<TPhase> = {},
): ReplayedRun<NoInfer<TPhase>> {
  const { header, events } = readLog(stored);
  assertGraph(header, events, options.graph);
  const last = lastStepIndex(events);
  const written = events.slice(last);
  const resumed = foldInto(assembleRun(options, { stored: header }), events.slice(0, last));
  const decided = resumed.stepper.step(written[0] as HostEvent);
  const agrees = written.every((event, index) => JSON.stringify(event) === JSON.stringify(decided[index]));
  if (agrees) return { run: recalled(resumed, events), missing: decided.slice(written.length) };
  const kept = foldInto(assembleRun(options, { stored: header }), events);
  return { run: recalled(kept, events), missing: [] };
}

/** A run cannot continue in a phase that its graph does not have. */
function assertGraph(
  { run, graph: name, phase: first }: HostEvent<"run.started">,
  events: readonly RunEvent[],
  graph: PhaseGraph | undefined,
): void {
  const phase = events.reduce(
    (before, event) => (event.type === "phase.transition" || event.type === "phase.rolled-back" ? event.to : before),
    first,
  );
  if (graph === undefined && name !== undefined && name !== WORKING.name)
    throw otherGraph(run, phase, `its graph "${name}" was not passed`);
  const { phases } = graph ?? WORKING;
  if (!Object.hasOwn(phases, phase))
    throw otherGraph(run, phase, `the graph that was passed has: ${Object.keys(phases).join(", ")}`);
}

function foldInto<TPhase extends string>(
  assembled: AssembledRun<TPhase>,
  events: readonly RunEvent[],
): AssembledRun<TPhase> {
  for (const event of events) assembled.stepper.fold(event);
  return assembled;
}

/** Interpreters with a memory refill it from what is stored. */
function recalled<TPhase extends string>(
  { run, interpreters }: AssembledRun<TPhase>,
  events: readonly RunEvent[],
): Run<TPhase> {
  for (const { recall } of interpreters)
    if (recall !== undefined)
      quietly(() =>
        events.forEach((event) => {
          recall(event);
        }),
      );
  return run;
}

/** An interpreter that cannot recall an event does without it; the run continues. */
function quietly(recall: () => void): void {
  try {
    recall();
  } catch {
    return;
  }
}
