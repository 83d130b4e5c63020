import type { RunEvent } from "@phasekit/core";
import { conversationEvents } from "@phasekit/orchestrator";

const { agentFinished, conversationEnding, lessonLearned, roundOpened, routingCorrected } = conversationEvents;

/** A conversation as lines to read, made from its log and nothing else. */
export function renderConversation(log: readonly RunEvent[]): readonly string[] {
  return log.flatMap((event) => {
    if (event.type === "message.received") return ["", `PERSON  ${event.excerpt ?? ""}`];
    if (event.type === "phase.transition") return [`  phase   ${event.from} → ${event.to}: ${event.reason ?? ""}`];
    if (event.type === "run.finished")
      return [`  end     ${event.reason} in ${event.phase}, verified: ${String(event.verified)}`];
    if (roundOpened.is(event)) return [`  round   ${event.data.agents.join(" + ")}`];
    if (agentFinished.is(event))
      return [`  ${event.data.agent}: ${(event.data.text ?? event.data.outcome).replaceAll("\n", " ")}`];
    if (routingCorrected.is(event)) return [`  wrong   ${event.data.feedback}`];
    if (lessonLearned.is(event) && event.data.from === "routing") return [`  lesson  ${event.data.text}`];
    if (conversationEnding.is(event)) return [`  END     ${event.data.reason}`];
    return [];
  });
}
