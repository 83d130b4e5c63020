import { replayRun, type RunEvent } from "@phasekit/core";
import { assembleConversation, type Conversation, runOptions } from "./conversation.ts";
import { type ConversationOptions, type ConversationPhase, settingsOf } from "./conversation-options.ts";
import { matchName } from "./routing-decision.ts";

/** A conversation read back from its log. */
export interface RecoveredConversation<TPhase extends string = ConversationPhase> {
  /** Live: `proceed()` goes on where the log ends, and has the agents of an open round work that had not finished. */
  readonly conversation: Conversation<TPhase>;
  /** What a crash cut off from the last step: append it to the log before anything else. */
  readonly missing: readonly RunEvent[];
}

/**
 * Restores phase, rounds, hand-offs and transitions of a conversation from its log alone. A log from before there were
 * phases begins in the graph's first one. Agents that were at work when the process died work again: hand them ids
 * (`context.round`, `context.agent`) to be idempotent by.
 *
 * @throws DAMAGED_LOG, UNKNOWN_EVENT, INVALID_CONVERSATION, and what `createRun` throws
 */
export function recoverConversation<const TPhase extends string = ConversationPhase>(events: readonly unknown[], options: ConversationOptions<TPhase>): RecoveredConversation<NoInfer<TPhase>> {
  const settings = settingsOf(options);
  const { run, missing } = replayRun<string>(withPhase(events, settings.graph), runOptions(options, settings));
  const added: RunEvent[] = [...missing];
  if (run.view.status === "running") {
    const end = run.subscribe((step) => added.push(...step));
    run.resume({ by: "host", why: "The conversation was read back from its log." });
    // Their processes are gone, and nobody else will ever say so.
    for (const { child, status } of [...run.view.children.values()]) {
      if (status === "running") run.record({ type: "child.finished", child, reason: "interrupted" });
    }
    end();
  }
  return { conversation: assembleConversation(run, settings) as unknown as Conversation<TPhase>, missing: added };
}

/** A header without a phase gets the first one; one in another case gets the graph's spelling. */
function withPhase(events: readonly unknown[], { initial, phases }: { readonly initial: string; readonly phases: object }): readonly unknown[] {
  const [header, ...rest] = events;
  if (typeof header !== "object" || header === null || (header as { readonly type?: unknown }).type !== "run.started") return events;
  const { phase, policies = [], interpreters = [], mode = "gate", attempt = 1 } = header as Readonly<Record<string, unknown>>;
  const known = typeof phase === "string" && phase !== "" ? (matchName(phase, Object.keys(phases)) ?? phase) : initial;
  return [{ ...header, phase: known, policies, interpreters, mode, attempt }, ...rest];
}
