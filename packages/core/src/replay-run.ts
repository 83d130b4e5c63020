import { assembleRun, type AssembledRun } from "./assemble-run.ts";
import type { HostEvent, RunEvent } from "./facts/run-event.ts";
import { lastStepIndex, readLog } from "./read-log.ts";
import type { Run, RunOptions } from "./run.ts";

/** A run read back from its log. */
export interface ReplayedRun<TPhase extends string = string> {
  /** Live: it goes on where the log ends. */
  readonly run: Run<TPhase>;
  /** What a crash cut off from the last step; append it to the log before anything else. */
  readonly missing: readonly RunEvent[];
}

/**
 * Folds a log without deciding anything, then takes the last host fact live, so that what a crash cut off is decided
 * after all. When the policies changed and would decide that fact otherwise, what is written stands.
 *
 * @throws DAMAGED_LOG, UNKNOWN_EVENT, and what `createRun` throws
 */
export function replayRun<const TPhase extends string = "working">(stored: readonly unknown[], options: RunOptions<TPhase> = {}): ReplayedRun<NoInfer<TPhase>> {
  const { header, events } = readLog(stored);
  const last = lastStepIndex(events);
  const written = events.slice(last);
  const resumed = foldInto(assembleRun(options, { stored: header }), events.slice(0, last));
  const decided = resumed.machine.step(written[0] as HostEvent);
  const agrees = written.every((event, index) => JSON.stringify(event) === JSON.stringify(decided[index]));
  if (agrees) return { run: recalled(resumed, events), missing: decided.slice(written.length) };
  const stands = foldInto(assembleRun(options, { stored: header }), events);
  return { run: recalled(stands, events), missing: [] };
}

function foldInto<TPhase extends string>(assembled: AssembledRun<TPhase>, events: readonly RunEvent[]): AssembledRun<TPhase> {
  for (const event of events) assembled.machine.fold(event);
  return assembled;
}

/** Interpreters with a memory refill it from what is stored. */
function recalled<TPhase extends string>({ run, interpreters }: AssembledRun<TPhase>, events: readonly RunEvent[]): Run<TPhase> {
  for (const { recall } of interpreters) if (recall !== undefined) quietly(() => events.forEach((event) => { recall(event); }));
  return run;
}

/** What an interpreter cannot recall it does without; the run goes on. */
function quietly(recall: () => void): void {
  try {
    recall();
  } catch {
    return;
  }
}
