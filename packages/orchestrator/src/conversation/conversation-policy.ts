import { type AnytimeDecision, definePolicy, emit, type HostEvent, type Policy, type RunView } from "@phasekit/core";
import { agentFinished, completionIgnored, roundCancelled, roundClosed, type RoundEnd } from "./conversation-events.ts";
import { conversationState, type ConversationState, emptyConversation } from "./conversation-state.ts";
import { foldEvent, foldMessage, foldRequest, foldTransition } from "./fold-conversation.ts";
import { deadlineOf, isComplete, missingOf, type Round } from "../rounds/round.ts";

/**
 * Folds rounds, moves and history of a conversation, and closes a round when every agent has finished, when its time
 * is up, or when it is cancelled. It decides in the step of the event that causes the close, so a crash cannot separate
 * the two and a round closes exactly once.
 */
export function conversationPolicy(): Policy<ConversationState> {
  return definePolicy<ConversationState>({
    name: "conversation",
    version: "1",
    key: conversationState,
    initial: emptyConversation,
    observe: {
      "run.started": (state, { phase, at }, run) => {
        state.visits.push({ phase, entry: run.phaseEntry, startedAt: at });
        state.visited.add(phase);
      },
      "message.received": foldMessage,
      "move.requested": foldRequest,
      "phase.transition": foldTransition,
      "phase.rolled-back": foldTransition,
      "phase.refused": (state, { to = "", text }, run) => {
        state.refusal = { to, entry: run.phaseEntry, text };
      },
      "event.recorded": foldEvent,
      "event.emitted": foldEvent,
    },
    decide: {
      "event.recorded": (_run, state, event) => decideOnEvent(state, event),
      "clock.ticked": (run, { open }) =>
        open !== undefined && isOverdue(open, run) ? close(open, "timeout") : undefined,
      "move.requested": (_run, { open }, event) =>
        open !== undefined && event.do === "stop" ? close(open, "cancelled") : undefined,
    },
    wakeAt: (run, { open }) => (open === undefined ? undefined : deadlineOf(open, run)),
  });
}

function decideOnEvent(
  state: Readonly<ConversationState>,
  event: HostEvent<"event.recorded">,
): AnytimeDecision<never> | undefined {
  const { open, ending } = state;
  if (agentFinished.is(event)) {
    const { round, agent } = event.data;
    const why = whyIgnored(state, event);
    if (why !== undefined) return emit(completionIgnored, { round, agent, why });
  }
  if (open === undefined) return undefined;
  if (isComplete(open)) return close(open, "complete");
  if (roundCancelled.is(event) && event.data.round === open.round) return close(open, "cancelled");
  return ending ? close(open, "ended") : undefined;
}

/** Why a completion had no effect. The fold accepted it if the round contains its sequence number. */
function whyIgnored(
  { open, rounds }: Readonly<ConversationState>,
  event: HostEvent<"event.recorded">,
): "late" | "repeated" | "unexpected" | undefined {
  const { round: id, agent } = event.data as { readonly round: string; readonly agent: string };
  if (open?.round === id) {
    const completion = open.completions.find((candidate) => candidate.agent === agent);
    return completion === undefined ? "unexpected" : completion.seq === event.seq ? undefined : "repeated";
  }
  // A round that is no longer in memory closed long ago.
  const closed = rounds.find(({ round }) => round === id);
  return closed === undefined || closed.agents.includes(agent) ? "late" : "unexpected";
}

function isOverdue(round: Round, run: RunView): boolean {
  return (deadlineOf(round, run) ?? Infinity) <= run.now;
}

function close(round: Round, why: RoundEnd): AnytimeDecision<never> {
  return emit(roundClosed, { round: round.round, why, missing: missingOf(round) });
}
