import type { EndOptions } from "@phasekit/core";
import { conversationEnding } from "./conversation-facts.ts";
import { type Desk, stopAgent } from "./desk.ts";
import { withinTime } from "./within-time.ts";

/**
 * Ends a conversation: nobody is called any more, the open round is closed, agents at work are told to stop and have
 * their grace, the lease is given back, and then the log is closed.
 */
export async function endConversation(desk: Desk, { by, reason, end = {} }: { readonly by: string; readonly reason: string; readonly end?: EndOptions }): Promise<void> {
  const { run, live, background, settings, lease } = desk;
  if (run.view.status === "ended") return;
  if (!desk.state().ending) run.record(conversationEnding.record({ by, reason }));
  for (const agent of [...live]) stopAgent(agent, "cancelled", "The conversation has ended.");
  // Agents have their own grace first; after this one, what they return is told to nobody but `onLate`.
  if (background.size > 0) await withinTime(drained(background), settings.graceMs * 2, settings.schedule);
  await lease?.letGo(run.view.phase, "the conversation ended");
  run.end(end);
}

/** Giving an agent up may leave something else to wait for: its late answer. */
async function drained(background: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (background.size > 0) await Promise.allSettled([...background]);
}
