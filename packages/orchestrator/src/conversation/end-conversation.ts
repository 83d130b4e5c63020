import type { EndOptions } from "@phasekit/core";
import { conversationEnding } from "./conversation-events.ts";
import { type ConversationRuntime, stopAgent } from "./conversation-runtime.ts";
import { withinTime } from "../within-time.ts";

/**
 * Ends a conversation: closes the open round, stops the agents at work and waits for their grace time, releases the
 * lease, and ends the run.
 */
export async function endConversation(
  runtime: ConversationRuntime,
  { by, reason, end = {} }: { readonly by: string; readonly reason: string; readonly end?: EndOptions },
): Promise<void> {
  const { run, live, background, settings, lease } = runtime;
  if (run.view.status === "ended") return;
  if (!runtime.state().ending) run.record(conversationEnding.record({ by, reason }));
  for (const agent of [...live]) stopAgent(agent, "cancelled", "The conversation has ended.");
  // Agents have their own grace time first. After this wait, only `onLate` receives what they return.
  if (background.size > 0) await withinTime(drained(background), settings.graceMs * 2, settings.schedule);
  await lease?.letGo(run.view.phase, "the conversation ended");
  run.end(end);
}

/** Waits until nothing is left: a stopped agent may add its late answer. */
async function drained(background: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (background.size > 0) await Promise.allSettled([...background]);
}
