import { replayRun, type RunEvent } from "@phasekit/core";
import { toObject } from "@phasekit/core/adapter";
import { assembleConversation, type Conversation, runOptions } from "./conversation.ts";
import { type ConversationOptions, type ConversationPhase, settingsOf } from "./conversation-options.ts";
import { matchName } from "../rounds/routing-decision.ts";

/** A conversation restored from its log. */
export interface RecoveredConversation<TPhase extends string = ConversationPhase> {
  /** Live conversation. `proceed()` continues at the end of the log and restarts unfinished agents of an open round. */
  readonly conversation: Conversation<TPhase>;
  /** Events that a crash cut off from the last step. Append them to the log first. */
  readonly missing: readonly RunEvent[];
}

/**
 * Restores phase, rounds, hand-offs and transitions of a conversation from its log. A log without phases begins in the
 * graph's first one. Agents that were at work when the process died work again: use `context.round` and `context.agent`
 * to make them idempotent.
 *
 * @throws DAMAGED_LOG, UNKNOWN_EVENT, INVALID_CONVERSATION, INVALID_OPTION, and what `createRun` throws
 */
export function recoverConversation<const TPhase extends string = ConversationPhase>(
  events: readonly unknown[],
  options: ConversationOptions<TPhase>,
): RecoveredConversation<NoInfer<TPhase>> {
  const settings = settingsOf(options);
  const { run, missing } = replayRun<string>(withPhase(events, settings.graph), runOptions(options, settings));
  const added: RunEvent[] = [...missing];
  if (run.view.status === "running") {
    const end = run.subscribe((step) => added.push(...step));
    run.resume({ by: "host", why: "The conversation was restored from its log." });
    // Their processes are gone, so no other event will end these runs.
    for (const { child, status } of [...run.view.children.values()]) {
      if (status === "running") run.record({ type: "child.finished", child, reason: "interrupted" });
    }
    end();
  }
  return { conversation: assembleConversation(run, settings) as unknown as Conversation<TPhase>, missing: added };
}

/** Adds the first phase to a header without one, and corrects the case of a phase name. */
function withPhase(
  events: readonly unknown[],
  { initial, phases }: { readonly initial: string; readonly phases: object },
): readonly unknown[] {
  const [header, ...rest] = events;
  const { type, phase, policies = [], interpreters = [], mode = "gate", attempt = 1 } = toObject(header);
  if (type !== "run.started") return events;
  const known = typeof phase === "string" && phase !== "" ? (matchName(phase, Object.keys(phases)) ?? phase) : initial;
  return [{ ...toObject(header), phase: known, policies, interpreters, mode, attempt }, ...rest];
}
