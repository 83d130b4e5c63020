import type { Policy } from "@phasekit/core";
import { bundleDetectors } from "./call-detector.ts";
import { announcedNotDone } from "./detectors/announced-not-done.ts";
import { backToExploring } from "./detectors/back-to-exploring.ts";
import { callCycle } from "./detectors/call-cycle.ts";
import { callTimeout } from "./detectors/call-timeout.ts";
import { chanting } from "./detectors/chanting.ts";
import { crossAgentLoop } from "./detectors/cross-agent-loop.ts";
import { cumulativeLoop } from "./detectors/cumulative-loop.ts";
import { editFlipFlop } from "./detectors/edit-flip-flop.ts";
import { endlessCall } from "./detectors/endless-call.ts";
import { failingTool } from "./detectors/failing-tool.ts";
import { failureRate } from "./detectors/failure-rate.ts";
import { interleavedRepeat } from "./detectors/interleaved-repeat.ts";
import { nearRepeat } from "./detectors/near-repeat.ts";
import { quotaFloor } from "./detectors/quota-floor.ts";
import { readOnlyChurn } from "./detectors/read-only-churn.ts";
import { redTestLoop } from "./detectors/red-test-loop.ts";
import { recurringError } from "./detectors/recurring-error.ts";
import { repeatedCall } from "./detectors/repeated-call.ts";
import { repeatedFailure } from "./detectors/repeated-failure.ts";
import { repeatedMessage } from "./detectors/repeated-message.ts";
import { repeatedQuestion } from "./detectors/repeated-question.ts";
import { rereadRange } from "./detectors/reread-range.ts";
import { sameAnswer } from "./detectors/same-answer.ts";
import { silence } from "./detectors/silence.ts";
import { stagnation } from "./detectors/stagnation.ts";
import { staleWorkspace } from "./detectors/stale-workspace.ts";
import { textOnlyTurns } from "./detectors/text-only-turns.ts";
import { unchangedPolling } from "./detectors/unchanged-polling.ts";
import { unmovedPage } from "./detectors/unmoved-page.ts";
import { upstreamErrors } from "./detectors/upstream-errors.ts";
import type { CallOptions } from "./tool-rules.ts";

/** What the default set leaves out, and how it reads single tools. */
export interface WatchdogOptions extends CallOptions {
  /** Names of detectors to leave out, such as `same-answer`. */
  readonly without?: readonly string[];
}

/**
 * The default set of detectors. They report evidence and draw no consequence: add `escalation()` for that. They read
 * what `fingerprints()` found out about each call, so give a run that interpreter too. The detectors that read calls run
 * as one policy, `watchdog`.
 *
 * @example
 * createRun({ interpret: [nameTableInterpreter(), fingerprints()], policies: [watchdog(), escalation()] })
 */
export function watchdog({ tools, without = [] }: WatchdogOptions = {}): readonly Policy[] {
  return tools === undefined && without.length === 0 ? (standard ??= detectors({}, without)) : detectors(tools === undefined ? {} : { tools }, without);
}

// Policies hold no state, runs do: one set serves all of them.
let standard: readonly Policy[] | undefined;

function detectors(options: CallOptions, without: readonly string[]): readonly Policy[] {
  const wanted = (policies: readonly unknown[]): readonly Policy[] => (policies as readonly Policy[]).filter(({ name }) => !without.includes(name));
  const calls = wanted([
    repeatedCall(options),
    repeatedFailure(options),
    recurringError(options),
    failingTool(options),
    failureRate(options),
    callCycle(options),
    interleavedRepeat(options),
    sameAnswer(options),
    unmovedPage(options),
    nearRepeat(options),
    endlessCall(options),
    unchangedPolling(options),
    editFlipFlop(options),
    redTestLoop(options),
    readOnlyChurn(options),
    backToExploring(options),
    rereadRange(options),
  ]);
  return [
    bundleDetectors("watchdog", calls),
    ...wanted([
      stagnation(options),
      cumulativeLoop(options),
      textOnlyTurns(),
      announcedNotDone(),
      repeatedMessage(),
      repeatedQuestion(),
      chanting(),
      quotaFloor(),
      upstreamErrors(),
      callTimeout(),
      silence(),
      staleWorkspace(),
      crossAgentLoop(),
    ]),
  ];
}
