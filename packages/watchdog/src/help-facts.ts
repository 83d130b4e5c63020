import { defineFact, type RunPort } from "@phasekit/core";
import { askReviewer, type AskReviewerOptions, type ReviewOutcome } from "./ask-reviewer.ts";

/** A question of the agent on its way to a reviewer. */
export interface HelpRequest {
  readonly review: string;
  readonly question: string;
  /** The request as a reviewer reads it. */
  readonly text: string;
  /** Whether the tool asks a reviewer of its own; otherwise it is left to `answerReviews`. */
  readonly own: boolean;
}

/** Recorded when an agent asks for help. */
export const helpRequested = /* @__PURE__ */ defineFact<HelpRequest>("watchdog.help-requested");

/** Recorded with the answer. */
export const helpGiven = /* @__PURE__ */ defineFact<ReviewOutcome & { readonly review: string }>("watchdog.help-given");

/** Asks the reviewer a question of the agent and records the answer. */
export async function answerHelp(run: RunPort, { review, text }: HelpRequest, options: AskReviewerOptions): Promise<void> {
  const outcome = await askReviewer({ id: review, kind: "question", prompt: text }, options);
  run.record(helpGiven.record({ review, ...outcome }));
}
