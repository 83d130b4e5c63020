import type { DerivedEvent, HostEvent, RunEvent, RunView } from "@phasekit/core";
import { clipText, defined, hashText, pushBounded, setBounded } from "@phasekit/core/adapter";
import {
  agentFinished,
  conversationEnding,
  lessonLearned,
  roundClosed,
  roundOpened,
  routingCorrected,
  wishHeld,
  type AgentOutcome,
  type RoundEnd,
  type RoundStart,
} from "./conversation-events.ts";
import { CONVERSATION_LIMITS, type ConversationState, type HistoryEntry } from "./conversation-state.ts";
import type { Completion, Round } from "../rounds/round.ts";

/** Maximum length of texts for prompts. The log has them in full. */
const TEXT = 4000;

/** Folds an event of this package. */
export function foldEvent(state: ConversationState, event: RunEvent, run: RunView): void {
  if (roundOpened.is(event)) openRound(state, event, { data: event.data, run });
  else if (agentFinished.is(event)) finishAgent(state, event, { data: event.data, run });
  else if (roundClosed.is(event)) closeRound(state, event.data, event.at);
  else if (routingCorrected.is(event)) state.correction = event.data;
  else if (lessonLearned.is(event)) pushBounded(state.lessons, event.data, CONVERSATION_LIMITS.lessons);
  else if (wishHeld.is(event)) dropWish(state, event.data);
  else if (conversationEnding.is(event)) state.ending = true;
}

function openRound(
  state: ConversationState,
  { at }: RunEvent,
  { data, run }: { readonly data: RoundStart; readonly run: RunView },
): void {
  if (state.open !== undefined) return;
  state.roundCount += 1;
  const round: Round = {
    ...data,
    number: state.roundCount,
    openedAt: at,
    openedActiveMs: run.activeMs,
    completions: [],
  };
  state.open = round;
  state.correction = undefined;
  state.roundsSinceRequest += 1;
  pushBounded(state.rounds, round, CONVERSATION_LIMITS.rounds);
}

function finishAgent(
  state: ConversationState,
  event: RunEvent,
  { data, run }: { readonly data: AgentOutcome; readonly run: RunView },
): void {
  const { round: id, ...rest } = data;
  const { open } = state;
  if (
    open?.round !== id ||
    !open.agents.includes(data.agent) ||
    open.completions.some(({ agent }) => agent === data.agent)
  )
    return;
  const completion: Completion = { ...rest, at: event.at, seq: event.seq };
  replaceOpen(state, { ...open, completions: [...open.completions, completion] });
  const { agent, id: who = agent, outcome, text = "", summary, question, wants, error } = data;
  if (outcome === "done") {
    setBounded(state.seen, [agent, open.phase], CONVERSATION_LIMITS.seen);
    if (summary !== undefined)
      pushBounded(state.handOffs, { agent, summary, text: clipText(text, TEXT) }, CONVERSATION_LIMITS.wishes);
    if (question !== undefined)
      state.question = { agent, text: state.question === undefined ? question : `${state.question.text}\n${question}` };
    if (wants !== undefined)
      pushBounded(
        state.wishes,
        { agent, id: who, to: wants, from: open.entry, message: text, ...defined({ summary }) },
        CONVERSATION_LIMITS.wishes,
      );
  }
  say(state, event, {
    entry: run.phaseEntry,
    kind: outcome === "done" ? "agent" : "failure",
    who: agent,
    text: outcome === "done" ? text : `${outcome}${error === undefined ? "" : `: ${error}`}`,
  });
}

function closeRound(
  state: ConversationState,
  { round: id, why, missing }: { readonly round: string; readonly why: RoundEnd; readonly missing: readonly string[] },
  at: number,
): void {
  const { open } = state;
  if (open?.round !== id) return;
  replaceOpen(state, { ...open, closed: { why, at, missing } });
  state.open = undefined;
  let moved = open.entry !== state.lastEntry;
  for (const { agent, outcome, text = "", summary = "" } of open.completions) {
    if (outcome !== "done") continue;
    const said = hashText(`${text}\n${summary}`);
    if (state.said.get(agent) !== said) moved = true;
    setBounded(state.said, [agent, said], CONVERSATION_LIMITS.texts);
  }
  state.lastEntry = open.entry;
  state.staleRounds = moved ? 0 : state.staleRounds + 1;
  if (moved) state.movingRounds += 1;
}

/** Replaces the open round, which is the newest of the list. */
function replaceOpen(state: ConversationState, round: Round): void {
  state.rounds[state.rounds.length - 1] = round;
  state.open = round;
}

/** Folds a message of the user. */
export function foldMessage(state: ConversationState, event: HostEvent<"message.received">, run: RunView): void {
  state.request = event.excerpt ?? "";
  state.question = undefined;
  state.staleRounds = 0;
  state.roundsSinceRequest = 0;
  say(state, event, { entry: run.phaseEntry, kind: "user", who: event.from ?? "user", text: state.request });
}

/** Folds a request to move. A move to the current phase is a hand-off. */
export function foldRequest(state: ConversationState, event: HostEvent<"move.requested">, run: RunView): void {
  if (event.do !== "transition" || event.to === undefined) return;
  dropWish(state, { agent: event.agent ?? "", to: event.to });
  const stale = event.from !== undefined && event.from !== run.phase && event.from !== run.phaseEntry;
  if (event.to !== run.phase || stale) return;
  const { to, at, seq, message, agent, name, why: reason, summary } = event;
  pushBounded(
    state.moves,
    { from: to, to, at, seq, ...defined({ message, agent, name, reason, summary }) },
    CONVERSATION_LIMITS.moves,
  );
  state.handOffs = [];
}

/** Folds a move that took place. */
export function foldTransition(
  state: ConversationState,
  event: DerivedEvent<"phase.transition" | "phase.rolled-back">,
  run: RunView,
): void {
  const { from, to, at, seq, message, agent, name, reason, summary, entry } = event;
  pushBounded(
    state.moves,
    { from, to, at, seq, ...defined({ message, agent, name, reason, summary }) },
    CONVERSATION_LIMITS.moves,
  );
  const left = state.visits.at(-1);
  if (left?.entry === entry)
    state.visits[state.visits.length - 1] = { ...left, endedAt: at, result: summary ?? message ?? reason ?? "" };
  pushBounded(
    state.visits,
    { phase: to, entry: run.phaseEntry, startedAt: at, ...defined({ reason }) },
    CONVERSATION_LIMITS.visits,
  );
  state.visited.add(to);
  state.handOffs = [];
  state.refusal = undefined;
}

/** Drops an agent's wish after it was applied or held. */
function dropWish(state: ConversationState, { agent, to }: { readonly agent: string; readonly to: string }): void {
  state.wishes = state.wishes.filter((wish) => (wish.agent !== agent && wish.id !== agent) || wish.to !== to);
}

function say(state: ConversationState, { seq, at }: RunEvent, entry: Omit<HistoryEntry, "seq" | "at">): void {
  if (entry.text === "") return;
  pushBounded(state.entries, { seq, at, ...entry, text: clipText(entry.text, TEXT) }, CONVERSATION_LIMITS.entries);
}
