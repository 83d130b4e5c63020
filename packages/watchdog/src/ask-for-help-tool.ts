import { defineFact, type PlainTool, type PlainToolResult, type RunPort } from "@phasekit/core";
import { buildReview } from "./build-review.ts";
import type { Reviewer } from "./reviewers.ts";

/** Recorded when a question of the agent was answered. */
export const helpGiven = defineFact<{ readonly question: string; readonly verdict: string; readonly feedback?: string }>("watchdog.help");

/** Options of `askForHelpTool`. */
export interface AskForHelpOptions {
  readonly reviewer: Reviewer;
  /** @default "ask_for_help" */
  readonly name?: string;
}

/**
 * A tool with which a stuck agent asks instead of trying again: its question goes to the reviewer with everything a
 * review request holds, and the answer comes back as the tool's result. A reviewer that rejects ends the run.
 */
export function askForHelpTool(run: RunPort, { reviewer, name = "ask_for_help" }: AskForHelpOptions): PlainTool {
  let asked = 0;
  return {
    name,
    description: "Ask the reviewer when you do not know how to go on or keep running into errors. Say what you tried and what you need.",
    inputSchema: { type: "object", properties: { question: { type: "string", description: "What you need to know." } }, required: ["question"], additionalProperties: false },
    execute: async (input) => {
      const question = typeof input === "object" && input !== null ? (input as { readonly question?: unknown }).question : undefined;
      if (typeof question !== "string" || question.trim() === "") return { ok: false, text: "Say what you need to know, as { question }." };
      asked += 1;
      const id = `${name}-${String(asked)}`;
      run.record({ type: "question.asked", question, id });
      return await answer(run, { reviewer, question, id });
    },
  };
}

async function answer(run: RunPort, { reviewer, question, id }: { readonly reviewer: Reviewer; readonly question: string; readonly id: string }): Promise<PlainToolResult> {
  try {
    const prompt = buildReview(run.view, { why: `The agent asks for help: ${question}` });
    const { verdict, feedback } = await reviewer({ id, kind: "question", prompt });
    run.record(helpGiven.record({ question, verdict, ...(feedback !== undefined && { feedback }) }));
    if (verdict === "reject") run.stop({ by: "judge", reason: "abandoned", why: feedback ?? "The reviewer gave the work up." });
    const text = feedback ?? (verdict === "approve" ? "Go on as you are." : "Do it another way.");
    return { ok: true, text, data: { verdict } };
  } catch {
    return { ok: false, text: "Nobody could answer. Go on with the safest assumption, and state it." };
  }
}
