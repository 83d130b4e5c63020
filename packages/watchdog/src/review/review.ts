import {
  defineEvent,
  definePolicy,
  type Emit,
  emit,
  type EventOf,
  type Nudge,
  nudge,
  type Policy,
  type Review,
  review as requestReview,
  type RunView,
  type StateKey,
  type Stop,
  stop,
} from "@phasekit/core";
import { ownValue, phaseSpec, setBounded } from "@phasekit/core/adapter";
import { findingsOf } from "../alert-text.ts";
import { helpGiven } from "./answer-reviews.ts";
import { buildReview } from "./build-review.ts";
import { createReviewLog, logNudge, logObservers, type ReviewLog, reviewState } from "./review-log.ts";

/** Options for `budgetReview()`. All optional. */
export interface BudgetReviewOptions {
  /** Turns a phase entry may take before a review, for all phases or by phase. @default the phase's maxTurns */
  readonly turns?: number | Readonly<Record<string, number>>;
}

/** Recorded when a review is decided without the reviewer. */
const reviewDecided = /* @__PURE__ */ defineEvent<{
  readonly kind: string;
  readonly verdict: "needs-changes" | "reject";
  readonly why: string;
}>("watchdog.review");

interface ReviewState {
  readonly log: ReviewLog;
  /** Open requests, with the agent and the kind of review. */
  readonly asked: Map<string, string>;
  /** "Needs changes" in a row, by agent and kind of review. */
  readonly streaks: Map<string, number>;
  /** Feedback the agent has not received yet. */
  readonly feedback: { readonly id: string; readonly text: string }[];
  readonly sentBack: Map<string, true>;
  /** A bare approval is sent back: the kind to ask for again. */
  again: string;
  entry: string;
  grantedAt: number;
  requests: number;
  rejected: string;
  decided: string;
}

const NAME = "review";
const MAX_ASKED = 16;
/** The request in a row of "needs changes" that is rejected without asking. */
const REJECT_AT = 6;

/**
 * The budget review: asks for one when a phase entry has used its turns, and carries out the answers. Feedback always
 * reaches the agent. An approval without guidance while an alert is open is sent back once, and then counts as
 * "needs changes" with guidance made from the alert. The third "needs changes" in a row warns the reviewer, the sixth
 * request is rejected. Only a review abandons a run. If a reviewer fails, the run continues.
 *
 * @example
 * const run = createRun({ policies: [watchdog(), budgetReview({ turns: { planning: 10, coding: 12 } })] });
 * answerReviews(run, { reviewer: modelReviewer((text) => ask(text)) });
 */
export function budgetReview({ turns }: BudgetReviewOptions = {}): Policy {
  const budgetOf = (run: RunView): number | undefined =>
    typeof turns === "number" ? turns : (ownValue(turns ?? {}, run.phase) ?? phaseSpec(run.graph, run.phase)?.maxTurns);

  function atTurn(
    run: RunView,
    state: Readonly<ReviewState>,
    agent: string | undefined,
  ): readonly (Nudge | Review | Stop | Emit)[] {
    const decisions: (Nudge | Review | Stop | Emit)[] = feedbackOf(state);
    const kind = wanted(run, state);
    // A run that is being stopped needs no review.
    if (kind === undefined || run.stopped !== undefined) return decisions;
    const streak = state.streaks.get(streakOf(agent, kind)) ?? 0;
    if (streak >= REJECT_AT - 1) {
      const why = `${String(streak)} reviews in a row asked for changes and nothing came of them.`;
      return [
        ...decisions,
        emit(reviewDecided, { kind: streakOf(agent, kind), verdict: "reject", why }),
        stop({ reason: "abandoned", text: why }),
      ];
    }
    const remark = state.again === "" ? undefined : BARE_REMARK;
    // The turn that asks waits for the answer: it has not been taken.
    const text = buildReview(run, { streak, budget: budgetOf(run), remark, turns: run.turnsInPhase - 1 });
    return [...decisions, requestReview({ kind, text, episode: `${run.phaseEntry}:${String(state.requests)}` })];
  }

  /** The kind of review that is due. */
  function wanted(run: RunView, { again, asked, entry, grantedAt }: Readonly<ReviewState>): string | undefined {
    if (asked.size > 0) return undefined;
    if (again !== "") return again;
    const budget = budgetOf(run);
    const since = entry === run.phaseEntry ? run.turnsInPhase - grantedAt : run.turnsInPhase;
    return budget !== undefined && since > budget ? "budget" : undefined;
  }

  return definePolicy<ReviewState>({
    name: NAME,
    version: "2",
    key: reviewState as StateKey<ReviewState>,
    initial: () => ({
      log: createReviewLog(),
      asked: new Map(),
      streaks: new Map(),
      feedback: [],
      sentBack: new Map(),
      again: "",
      entry: "",
      grantedAt: 0,
      requests: 0,
      rejected: "",
      decided: "",
    }),
    observe: {
      ...logObservers,
      "review.requested": (state, { review: id, kind, by, applied, agent }) => {
        if (by === NAME) {
          state.requests += 1;
          state.again = "";
        }
        // A request that is not sent gets no answer.
        if (applied) setBounded(state.asked, [id, streakOf(agent, kind)], MAX_ASKED);
      },
      "review.finished": (state, event, run) => {
        foldAnswer(state, event, run);
      },
      "nudge.sent": (state, event) => {
        logNudge(state.log, event);
        if (event.by !== NAME) return;
        const sent = state.feedback.findIndex(({ id }) => `review ${id}` === event.episode);
        if (sent >= 0) state.feedback.splice(sent, 1);
      },
      "event.emitted": (state, event) => {
        if (reviewDecided.is(event) && event.data.verdict === "reject") state.streaks.delete(event.data.kind);
      },
    },
    decide: {
      "turn.started": (run, state, { agent }) => atTurn(run, state, agent),
      // The agent has the answer to its question as the result of its call; only a rejection is more than an answer.
      "event.recorded": (_run, _state, event) =>
        helpGiven.is(event) && event.data.verdict === "reject"
          ? stop({ reason: "abandoned", text: event.data.feedback ?? "A review rejected the work." })
          : undefined,
      "review.finished": (_run, state) => {
        const { rejected, decided } = state;
        if (rejected !== "") return stop({ reason: "abandoned", text: rejected });
        // Sent in this turn if it waited for the answer; otherwise in the next one.
        if (decided === "") return feedbackOf(state);
        return [
          ...feedbackOf(state),
          emit(reviewDecided, {
            kind: decided,
            verdict: "needs-changes",
            why: "The answer gave no guidance while an alert was open.",
          }),
        ];
      },
    },
  });
}

const BARE_REMARK =
  "Your approval came without guidance while an alert was open. Say what to stop, why, and what to do instead; " +
  "a second bare approval counts as needs-changes.";

function feedbackOf({ feedback }: Readonly<ReviewState>): Nudge[] {
  return feedback.map(({ id, text }) => nudge(text, { episode: `review ${id}`, priority: 20, guidance: true }));
}

/** The key under which reviews of one agent and kind are counted together. */
function streakOf(agent: string | undefined, kind: string): string {
  return agent === undefined ? kind : `${agent} ${kind}`;
}

function foldAnswer(state: ReviewState, event: EventOf<"review.finished">, run: RunView): void {
  const kind = state.asked.get(event.review) ?? "budget";
  const feedback = event.feedback?.trim() ?? "";
  state.asked.delete(event.review);
  state.rejected = "";
  state.decided = "";
  if (event.verdict === "reject") {
    state.rejected = feedback === "" ? "A review rejected the work." : feedback;
    state.streaks.delete(kind);
    return;
  }
  const guidance = guidanceFor(run);
  state.entry = run.phaseEntry;
  state.grantedAt = run.turnsInPhase;
  const bare = event.verdict === "approve" && feedback === "" && guidance !== "";
  if (bare && !state.sentBack.has(kind)) {
    setBounded(state.sentBack, [kind, true], MAX_ASKED);
    state.again = kind.slice(kind.lastIndexOf(" ") + 1);
    return;
  }
  // If a reviewer fails, the run continues; with an open alert the agent gets guidance made from it.
  const helpless = event.verdict === "failed" && guidance !== "";
  if (event.verdict === "needs-changes" || bare || helpless) {
    state.streaks.set(kind, (state.streaks.get(kind) ?? 0) + 1);
    if (event.verdict !== "needs-changes") state.decided = kind;
  } else state.streaks.delete(kind);
  state.sentBack.delete(kind);
  const text = feedback !== "" ? feedback : event.verdict === "approve" && !bare ? "" : guidance;
  if (text !== "") state.feedback.push({ id: event.review, text: `Guidance from the review: ${text}` });
  else if (event.verdict === "needs-changes")
    state.feedback.push({
      id: event.review,
      text: "The review asks for changes. Say what you have, what is missing, and do that next.",
    });
}

/** Guidance made from the open alerts; empty when there is none. */
function guidanceFor(run: RunView): string {
  return findingsOf(run)
    .slice(0, 2)
    .map(({ text }) => text)
    .join(" ");
}
