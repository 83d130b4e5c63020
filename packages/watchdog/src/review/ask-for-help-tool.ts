import type { PlainTool, PlainToolResult, RunPort } from "@phasekit/core";
import {
  answerHelp,
  type AnswerReviewsOptions,
  helpGiven,
  helpRequested,
  type ReviewOutcome,
} from "./answer-reviews.ts";
import { buildReview } from "./build-review.ts";

/** Options for `askForHelpTool()`. All optional. */
export interface AskForHelpOptions extends Partial<Omit<AnswerReviewsOptions, "name">> {
  /** @default "ask_for_help" */
  readonly name?: string;
}

/**
 * A tool with which a stuck agent asks instead of trying again. Its question becomes a review request, and the answer
 * comes back as the result of the tool. The log has three events: `question.asked`, `watchdog.help-requested` and
 * `watchdog.help-given`. Without a reviewer of its own, `answerReviews` answers. A reviewer that rejects ends the run.
 *
 * @example
 * const tool = askForHelpTool(run, { reviewer: modelReviewer((text) => complete(text)) });
 */
export function askForHelpTool(
  run: RunPort,
  { name = "ask_for_help", reviewer, ...options }: AskForHelpOptions = {},
): PlainTool {
  let asked = 0;
  return {
    name,
    description:
      "Ask the reviewer when you do not know how to continue or keep running into errors. " +
      "Say what you tried and what you need.",
    inputSchema: {
      type: "object",
      properties: { question: { type: "string", description: "What you need to know." } },
      required: ["question"],
      additionalProperties: false,
    },
    execute: async (input) => {
      const question =
        typeof input === "object" && input !== null ? (input as { readonly question?: unknown }).question : undefined;
      if (typeof question !== "string" || question.trim() === "")
        return { ok: false, text: "Say what you need to know, as { question }." };
      asked += 1;
      const review = `${name}-${run.view.seq}-${asked}`;
      const request = {
        review,
        question,
        text: buildReview(run.view, { why: `The agent asks for help: ${question}` }),
        own: reviewer !== undefined,
      };
      const answered = answerTo(run, review);
      run.record({ type: "question.asked", question, id: review });
      // A run that has ended records no events, so an answer would never come.
      if (!run.record(helpRequested.record(request))) return UNANSWERED;
      if (reviewer !== undefined) void answerHelp(run, request, { reviewer, ...options });
      return readAnswer(run, await answered);
    },
  };
}

const UNANSWERED: PlainToolResult = {
  ok: false,
  text: "No answer came. Continue with the safest assumption, and state it.",
};

/** The answer to one request, whoever records it. */
function answerTo(run: RunPort, review: string): Promise<ReviewOutcome> {
  return new Promise((resolve) => {
    const end = run.subscribe((step) => {
      for (const event of step) {
        const gone = event.type === "run.finished";
        if (!gone && !(helpGiven.is(event) && event.data.review === review)) continue;
        end();
        resolve(gone ? { verdict: "failed" } : event.data);
      }
    });
  });
}

function readAnswer(run: RunPort, { verdict, feedback }: ReviewOutcome): PlainToolResult {
  if (verdict === "failed") return UNANSWERED;
  // The policy `review` ends the run too, when there is one.
  if (verdict === "reject" && run.view.stopped === undefined)
    run.stop({ by: "judge", reason: "abandoned", why: feedback ?? "The reviewer gave the work up." });
  return {
    ok: true,
    text: feedback ?? (verdict === "approve" ? "Continue as you are." : "Do it another way."),
    data: { verdict },
  };
}
