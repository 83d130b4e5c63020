import { defineState } from "@phasekit/core";
import type { Lesson, RoutingCorrection } from "./conversation-events.ts";
import type { PhaseMove } from "../agents/hand-off.ts";
import type { Round } from "../rounds/round.ts";

/** Maximum number of entries a conversation keeps in memory. The log keeps all. */
export const CONVERSATION_LIMITS = {
  rounds: 200,
  moves: 200,
  visits: 100,
  entries: 400,
  seen: 256,
  lessons: 200,
  texts: 256,
  wishes: 32,
  notes: 256,
} as const;

/** A message or answer, for prompts and people. */
export interface HistoryEntry {
  readonly seq: number;
  readonly at: number;
  /** The phase entry it belongs to, such as `execute#2`. */
  readonly entry: string;
  readonly kind: "user" | "agent" | "failure";
  readonly who: string;
  readonly text: string;
}

/** One visit to a phase. */
export interface PhaseVisit {
  readonly phase: string;
  readonly entry: string;
  readonly startedAt: number;
  /** Why the phase was entered. */
  readonly reason?: string;
  readonly endedAt?: number;
  /** Result of the visit; absent while the conversation is in the phase. */
  readonly result?: string;
}

/** An agent's wish for the next phase, not yet applied. */
interface PhaseWish {
  readonly agent: string;
  /** Identity of the agent in the log. */
  readonly id: string;
  readonly to: string;
  readonly from: string;
  readonly message?: string;
  readonly summary?: string;
}

/** State of a conversation, folded from its log. Bounded; only its policy changes it. */
export interface ConversationState {
  /** The last rounds, newest last, including the open one. */
  rounds: Round[];
  roundCount: number;
  open: Round | undefined;
  moves: PhaseMove[];
  visits: PhaseVisit[];
  /** Every phase the conversation has been in. */
  readonly visited: Set<string>;
  entries: HistoryEntry[];
  /** The user's last message. */
  request: string | undefined;
  /** Open question to the user. */
  question: { readonly agent: string; readonly text: string } | undefined;
  /** Last phase of each agent. */
  readonly seen: Map<string, string>;
  /** Hash of each agent's last answer: an identical answer is not progress. */
  readonly said: Map<string, string>;
  lessons: Lesson[];
  wishes: PhaseWish[];
  /** Completions with a summary since the last move. The next move hands them over. */
  handOffs: { readonly agent: string; readonly summary: string; readonly text: string }[];
  /** Last correction of the router in the current routing. */
  correction: RoutingCorrection | undefined;
  /** Last move the graph refused, and the phase entry at that time. */
  refusal: { readonly to: string; readonly entry: string; readonly text: string } | undefined;
  /** Rounds closed since the last progress. */
  staleRounds: number;
  /** Total rounds with progress. */
  movingRounds: number;
  /** Rounds since the user's last message. */
  roundsSinceRequest: number;
  /** Phase entry of the last round. */
  lastEntry: string;
  ending: boolean;
}

/** Key of a conversation's state. */
export const conversationState = /* @__PURE__ */ defineState<ConversationState>("orchestrator/conversation");

/** State before the first event. */
export function emptyConversation(): ConversationState {
  return {
    rounds: [],
    roundCount: 0,
    open: undefined,
    moves: [],
    visits: [],
    visited: new Set(),
    entries: [],
    request: undefined,
    question: undefined,
    seen: new Map(),
    said: new Map(),
    lessons: [],
    wishes: [],
    handOffs: [],
    correction: undefined,
    refusal: undefined,
    staleRounds: 0,
    movingRounds: 0,
    roundsSinceRequest: 0,
    lastEntry: "",
    ending: false,
  };
}

/** State of the current cycle. The next cycle starts empty. */
export interface CycleState {
  /** Agents that took part, in order of their first completion. */
  participants: string[];
  /** Reflections by agent: done or not, and the number of failures. */
  readonly reflections: Map<string, { readonly done: boolean; readonly failed: number }>;
  readonly notes: Map<string, unknown>;
  rounds: number;
}

/** Key of the current cycle's state. */
export const cycleState = /* @__PURE__ */ defineState<CycleState>("orchestrator/cycle");

/** State before the first round of a cycle. */
export function emptyCycle(): CycleState {
  return { participants: [], reflections: new Map(), notes: new Map(), rounds: 0 };
}
