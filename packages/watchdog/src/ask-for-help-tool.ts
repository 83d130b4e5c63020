import type { PlainTool, PlainToolResult, RunPort } from "@phasekit/core";
import type { AskReviewerOptions, ReviewOutcome } from "./ask-reviewer.ts";
import { buildReview } from "./build-review.ts";
import { answerHelp, helpGiven, helpRequested } from "./help-facts.ts";

/** Options of `askForHelpTool`. */
export interface AskForHelpOptions extends Partial<Omit<AskReviewerOptions, "name">> {
  /** @default "ask_for_help" */
  readonly name?: string;
}

/**
 * A tool with which a stuck agent asks instead of trying again. Its question becomes a review request with everything
 * such a request holds, and the answer comes back as the tool's result: three facts, `question.asked`,
 * `watchdog.help-requested` and `watchdog.help-given`. Without a reviewer of its own it is left to `answerReviews`. A
 * reviewer that rejects ends the run.
 *
 * @example
 * const tool = askForHelpTool(run, { reviewer: modelReviewer((prompt) => complete(prompt)) });
 */
export function askForHelpTool(run: RunPort, { name = "ask_for_help", reviewer, ...options }: AskForHelpOptions = {}): PlainTool {
  let asked = 0;
  return {
    name,
    description: "Ask the reviewer when you do not know how to go on or keep running into errors. Say what you tried and what you need.",
    inputSchema: { type: "object", properties: { question: { type: "string", description: "What you need to know." } }, required: ["question"], additionalProperties: false },
    execute: async (input) => {
      const question = typeof input === "object" && input !== null ? (input as { readonly question?: unknown }).question : undefined;
      if (typeof question !== "string" || question.trim() === "") return { ok: false, text: "Say what you need to know, as { question }." };
      asked += 1;
      const review = `${name}-${String(run.view.seq)}-${String(asked)}`;
      const request = { review, question, text: buildReview(run.view, { why: `The agent asks for help: ${question}` }), own: reviewer !== undefined };
      const answered = answerTo(run, review);
      run.record({ type: "question.asked", question, id: review });
      // A run that has ended takes no facts, so nobody would ever answer.
      if (!run.record(helpRequested.record(request))) return NOBODY;
      if (reviewer !== undefined) void answerHelp(run, request, { reviewer, ...options });
      return readAnswer(run, await answered);
    },
  };
}

const NOBODY: PlainToolResult = { ok: false, text: "Nobody could answer. Go on with the safest assumption, and state it." };

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
  if (verdict === "failed") return NOBODY;
  // The policy `review` ends the run too, when there is one.
  if (verdict === "reject" && run.view.stopped === undefined) run.stop({ by: "judge", reason: "abandoned", why: feedback ?? "The reviewer gave the work up." });
  return { ok: true, text: feedback ?? (verdict === "approve" ? "Go on as you are." : "Do it another way."), data: { verdict } };
}
