import { playRun, type PlayRunOptions, type Run } from "@phasekit/core";
import type { RecordedRun } from "./transcript.ts";

/**
 * Plays a recorded run into a new run with your options: core's `playRun()` for the runs of a transcript.
 *
 * @example
 * const { outcome } = transcriptToRun(runs[0], codingRunOptions({ mode: "observe" }));
 */
export function transcriptToRun<const TPhase extends string = "working">(
  read: RecordedRun,
  options?: PlayRunOptions<TPhase>,
): Run<TPhase> {
  return playRun(read, options);
}
