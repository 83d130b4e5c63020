import { defineState } from "@phasekit/core";
import type { LessonLearned, RoutingCorrected } from "./conversation-facts.ts";
import type { PhaseRecord } from "./hand-off.ts";
import type { Round } from "./round.ts";

/** How much of each kind a conversation keeps at hand; the log keeps all. */
export const CONVERSATION_LIMITS = { rounds: 200, records: 200, stays: 100, entries: 400, seen: 256, lessons: 200, texts: 256, wishes: 32, notes: 256 } as const;

/** Something that was said, for prompts and people. */
export interface HistoryEntry {
  readonly seq: number;
  readonly at: number;
  /** The stay it belongs to, as `execute#2`. */
  readonly entry: string;
  readonly kind: "user" | "agent" | "failure";
  readonly who: string;
  readonly text: string;
}

/** One stay in a phase. */
export interface PhaseStay {
  readonly phase: string;
  readonly entry: string;
  readonly startedAt: number;
  /** Why it was entered. */
  readonly reason?: string;
  readonly endedAt?: number;
  /** What came of it; absent while the conversation is in it. */
  readonly result?: string;
}

/** An agent's wish for the phase to come, not yet carried out. */
export interface PhaseWish {
  readonly agent: string;
  /** Who the agent is in the log. */
  readonly id: string;
  readonly to: string;
  readonly from: string;
  readonly message?: string;
  readonly summary?: string;
}

/** Everything about a conversation that is folded from its log. Bounded, and changed by its policy only. */
export interface ConversationState {
  /** The last rounds, the newest last; the open one is among them. */
  rounds: Round[];
  roundCount: number;
  open: Round | undefined;
  records: PhaseRecord[];
  stays: PhaseStay[];
  /** Every phase the conversation has been in. */
  readonly visited: Set<string>;
  entries: HistoryEntry[];
  /** What the person said last. */
  request: string | undefined;
  /** What the person is asked, until they answer. */
  question: { readonly agent: string; readonly text: string } | undefined;
  /** The phase each agent saw last. */
  readonly seen: Map<string, string>;
  /** What each agent said last, as a hash: the same again is no progress. */
  readonly said: Map<string, string>;
  lessons: LessonLearned[];
  wishes: PhaseWish[];
  /** Completions with a summary since the last record: what the next record hands over. */
  handing: { readonly agent: string; readonly summary: string; readonly text: string }[];
  /** The newest correction of the router in the present routing. */
  correction: RoutingCorrected | undefined;
  /** Why the graph last refused a move, and from which stay. */
  refusal: { readonly to: string; readonly entry: string; readonly text: string } | undefined;
  /** Rounds closed since anything moved. */
  staleRounds: number;
  /** Rounds that moved something, in all. */
  movingRounds: number;
  /** Rounds since the person said something. */
  roundsSinceRequest: number;
  /** The stay the last round was in. */
  lastEntry: string;
  ending: boolean;
}

/** Where the state of a conversation is found: `run.view.read(conversationState)`. */
export const conversationState = /* @__PURE__ */ defineState<ConversationState>("orchestrator/conversation");

/** A conversation before its first event. */
export function emptyConversation(): ConversationState {
  return {
    rounds: [], roundCount: 0, open: undefined, records: [], stays: [], visited: new Set(), entries: [], request: undefined, question: undefined,
    seen: new Map(), said: new Map(), lessons: [], wishes: [], handing: [], correction: undefined, refusal: undefined,
    staleRounds: 0, movingRounds: 0, roundsSinceRequest: 0, lastEntry: "", ending: false,
  };
}

/** What is remembered until the next cycle begins. */
export interface CycleState {
  /** Agents that took part, in the order they first did. */
  participants: string[];
  /** Reflections by agent: whether it has reflected, and how often it failed to. */
  readonly reflections: Map<string, { readonly done: boolean; readonly failed: number }>;
  readonly notes: Map<string, unknown>;
  rounds: number;
}

/** Where the memory of the present cycle is found. */
export const cycleState = /* @__PURE__ */ defineState<CycleState>("orchestrator/cycle");

/** A cycle before its first round. */
export function emptyCycle(): CycleState {
  return { participants: [], reflections: new Map(), notes: new Map(), rounds: 0 };
}

/** Adds to a list that keeps its newest items only. */
export function keep<T>(items: T[], item: T, limit: number): void {
  items.push(item);
  if (items.length > limit) items.shift();
}

/** Sets a key and makes it the newest; the oldest goes when there are too many. */
export function keepKey<T>(map: Map<string, T>, [key, value]: readonly [string, T], limit: number): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.size > limit ? map.keys().next() : undefined;
  if (oldest?.done === false) map.delete(oldest.value);
}
