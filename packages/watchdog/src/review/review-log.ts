import { defineState, type EventOf, type Policy } from "@phasekit/core";
import { pushBounded } from "@phasekit/core/adapter";
import { labelOf, callOf } from "@phasekit/core/account";
import { readsAsFailed, resultText } from "../call-result.ts";
import { type PatternCall, WINDOW } from "./analyze-pattern.ts";

/** A message as a reviewer sees it: its speaker, or the call it is the result of. */
type LoggedMessage =
  | { readonly from: string; readonly text: string }
  | { readonly about: string; readonly text: string; readonly failed: boolean }
  | { readonly refused: string; readonly text: string };

/** The source of a review: the last messages and calls, and the plan. */
export interface ReviewLog {
  /** Each is put into words only for a review, which few runs ask for. */
  readonly messages: LoggedMessage[];
  readonly calls: PatternCall[];
  plan: string;
  /** Messages and results in all. */
  seen: number;
  /** Limits of a request, so that every policy that asks for a review keeps to them. */
  readonly limits: ReviewLimits;
}

/** How much of the past a review request shows. */
export interface ReviewLimits {
  /** Calls the analysis looks at. */
  readonly window: number;
  /** Characters of recent context. */
  readonly characters: number;
}

/** The limits of a request unless it is said otherwise: 8,000 characters are about 2,000 tokens. */
export const REVIEW_LIMITS: ReviewLimits = { window: WINDOW, characters: 8000 };

/** The state of `budgetReview()`, as far as requests need it. */
export const reviewState = /* @__PURE__ */ defineState<{ readonly log: ReviewLog }>("watchdog/review");

export const createReviewLog = (limits: ReviewLimits = REVIEW_LIMITS): ReviewLog => ({
  messages: [],
  calls: [],
  plan: "",
  seen: 0,
  limits,
});

const MAX_MESSAGES = 60;
const MAX_TEXT = 600;
const MAX_RESULT = 150;
/** Characters of a result that are kept: its line is shorter, because white space is folded. */
const MAX_RAW_RESULT = 1200;
const MAX_PLAN = 2000;

/** Observers that fold clipped excerpts into the log of a policy's state. */
export const logObservers: NonNullable<Policy<{ readonly log: ReviewLog }>["observe"]> = {
  "message.sent": ({ log }, { excerpt = "" }) => {
    addMessage(log, { from: "agent", text: excerpt });
  },
  "message.received": ({ log }, { excerpt = "", from = "user" }) => {
    addMessage(log, { from, text: excerpt });
  },
  "tool.finished": ({ log }, event) => {
    addCall(log, event);
  },
  "tool.refused": ({ log }, { tool, text, applied }) => {
    if (applied) addMessage(log, { refused: tool, text });
  },
  "plan.declared": ({ log }, { text, steps }) => {
    log.plan = text ?? `${steps ?? 0} steps`;
  },
  "todos.updated": ({ log }, { todos }) => {
    log.plan = todos
      .map(({ status, text = "" }) => `- [${status}] ${text}`)
      .join("\n")
      .slice(0, MAX_PLAN);
  },
};

/** Adds a nudge. After one of the review the calls start anew: the next review looks at what came of it. */
export function logNudge(log: ReviewLog, { text, by }: Pick<EventOf<"nudge.sent">, "text" | "by">): void {
  addMessage(log, { from: "phasekit", text });
  if (by === "review") log.calls.length = 0;
}

function addCall(log: ReviewLog, event: EventOf<"tool.finished">): void {
  const failed = readsAsFailed(event);
  const about = callOf(event).about;
  // A call and its result are two messages of a conversation.
  log.seen += 1;
  addMessage(log, { about, text: resultText(event).slice(0, MAX_RAW_RESULT), failed });
  pushBounded(log.calls, { tool: event.tool, about, failed }, log.limits.window);
}

function addMessage(log: ReviewLog, message: LoggedMessage): void {
  log.seen += 1;
  pushBounded(log.messages, message, MAX_MESSAGES);
}

/** A message in words. */
export function renderMessage(message: LoggedMessage): string {
  if ("from" in message) return `${message.from}: ${clip(message.text, MAX_TEXT)}`;
  if ("refused" in message) return `${message.refused} → [refused] ${clip(message.text, MAX_RESULT)}`;
  return `${labelOf(message.about)} → ${renderResult(message)}`;
}

/** A result in one short line, marked when it is an error. */
export function renderResult({ text, failed }: { readonly text: string; readonly failed: boolean }): string {
  return `${failed ? "[error] " : ""}${clip(text.replace(/\s+/g, " ").trim(), MAX_RESULT)}`;
}

function clip(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}...` : text;
}
