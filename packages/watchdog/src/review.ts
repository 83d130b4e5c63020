import { defineFact, definePolicy, type Emit, emit, type EventOf, type Nudge, nudge, phaseSpec, type Policy, review as requestReview, type Review, type RunView, type Stop, stop } from "@phasekit/core";
import { setBounded } from "./bounded.ts";
import { buildReview } from "./build-review.ts";
import { helpGiven } from "./help-facts.ts";
import { familyOf, nudgeText } from "./nudge-texts.ts";

/** Options of `review`. */
export interface ReviewOptions {
  /** Turns a phase entry may take before a review, for all phases or by phase. @default the phase's maxTurns */
  readonly turns?: number | Readonly<Record<string, number>>;
  /** "Needs changes" in a row from which the reviewer is warned. @default 3 */
  readonly warnAt?: number;
  /** The request in such a row that is rejected without asking. @default 6 */
  readonly rejectAt?: number;
  /** Tokens of recent context in a request. @default 2000 */
  readonly tokens?: number;
}

/** Recorded when a review is decided without the reviewer. */
export const reviewDecided = /* @__PURE__ */ defineFact<{ readonly kind: string; readonly verdict: "needs-changes" | "reject"; readonly why: string }>("watchdog.review");

interface ReviewState {
  /** Open requests: whose, and what they are about. */
  readonly asked: Map<string, string>;
  /** "Needs changes" in a row, by agent and kind of review. */
  readonly streaks: Map<string, number>;
  /** Feedback the agent has not been told. */
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

/**
 * The budget review: asks for one when a phase entry has used its turns, and carries out the answers. Feedback always
 * reaches the agent. An approval without guidance while an alert is open is sent back once, and then counts as
 * "needs changes" with guidance made from the alert. Only a review abandons a run. A failed reviewer needs no person.
 *
 * @example
 * const run = createRun({ policies: [watchdog(), activityLog(), review({ turns: { planning: 10, coding: 12 } })] });
 * answerReviews(run, { reviewer: modelReviewer((prompt) => ask(prompt)) });
 */
export function review({ turns, warnAt = 3, rejectAt = 6, tokens = 2000 }: ReviewOptions = {}): Policy<ReviewState> {
  const budgetOf = (run: RunView): number | undefined =>
    typeof turns === "number" ? turns : (turns?.[run.phase] ?? phaseSpec(run.graph, run.phase)?.maxTurns);

  function atTurn(run: RunView, state: Readonly<ReviewState>, agent: string | undefined): readonly (Nudge | Review | Stop | Emit)[] {
    const decisions: (Nudge | Review | Stop | Emit)[] = feedbackOf(state);
    const kind = wanted(run, state);
    // A run that is being stopped needs no review.
    if (kind === undefined || run.stopped !== undefined) return decisions;
    const streak = state.streaks.get(streakOf(agent, kind)) ?? 0;
    if (streak >= rejectAt - 1) {
      const why = `${String(streak)} reviews in a row asked for changes and nothing came of them.`;
      return [...decisions, emit(reviewDecided, { kind: streakOf(agent, kind), verdict: "reject", why }), stop({ reason: "abandoned", text: why })];
    }
    const budget = budgetOf(run);
    const text = buildReview(run, {
      tokens, streak, warnAt,
      ...(budget !== undefined && { budget }),
      ...(state.again !== "" && { remark: "Your approval came without guidance while an alert was open. Say what to stop, why, and what to do instead; a second bare approval counts as needs-changes." }),
    });
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
    version: "1",
    initial: () => ({ asked: new Map(), streaks: new Map(), feedback: [], sentBack: new Map(), again: "", entry: "", grantedAt: 0, requests: 0, rejected: "", decided: "" }),
    observe: {
      "review.requested": (state, { review: id, kind, by, applied, agent }) => {
        if (by === NAME) {
          state.requests += 1;
          state.again = "";
        }
        // What nobody is asked, nobody answers.
        if (applied) setBounded(state.asked, [id, streakOf(agent, kind)], MAX_ASKED);
      },
      "review.finished": (state, event, run) => { foldAnswer(state, event, run); },
      "nudge.sent": (state, { by, episode }) => {
        if (by !== NAME) return;
        const told = state.feedback.findIndex(({ id }) => `review ${id}` === episode);
        if (told >= 0) state.feedback.splice(told, 1);
      },
      "fact.emitted": (state, event) => {
        if (reviewDecided.is(event) && event.data.verdict === "reject") state.streaks.delete(event.data.kind);
      },
    },
    decide: {
      "turn.started": (run, state, { agent }) => atTurn(run, state, agent),
      // The agent has the answer to its question as the result of its call; only a rejection is more than an answer.
      "fact.recorded": (_run, _state, event) =>
        helpGiven.is(event) && event.data.verdict === "reject" ? stop({ reason: "abandoned", text: event.data.feedback ?? "The reviewer gave the work up." }) : undefined,
      "review.finished": (_run, state) => {
        const { rejected, decided } = state;
        if (rejected !== "") return stop({ reason: "abandoned", text: rejected });
        // Said at once when the turn waited for the answer; else it is kept for the next one.
        if (decided === "") return feedbackOf(state);
        return [...feedbackOf(state), emit(reviewDecided, { kind: decided, verdict: "needs-changes", why: "The answer gave no guidance while an alert was open." })];
      },
    },
  });
}

function feedbackOf({ feedback }: Readonly<ReviewState>): Nudge[] {
  return feedback.map(({ id, text }) => nudge(text, { episode: `review ${id}`, priority: 20, guidance: true }));
}

/** Whose reviews of which kind are counted together. */
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
  // A reviewer that cannot answer needs no person: without an alert the run goes on, with one it is told what is wrong.
  const helpless = event.verdict === "failed" && guidance !== "";
  if (event.verdict === "needs-changes" || bare || helpless) {
    state.streaks.set(kind, (state.streaks.get(kind) ?? 0) + 1);
    if (event.verdict !== "needs-changes") state.decided = kind;
  } else state.streaks.delete(kind);
  state.sentBack.delete(kind);
  const text = feedback !== "" ? feedback : event.verdict === "approve" && !bare ? "" : guidance;
  if (text !== "") state.feedback.push({ id: event.review, text: `Guidance from the review: ${text}` });
  else if (event.verdict === "needs-changes") state.feedback.push({ id: event.review, text: "The review asks for changes. Say what you have, what is missing, and do that next." });
}

/** Guidance made from the open alerts; empty when there is none. */
export function guidanceFor(run: RunView): string {
  const texts = [...run.alerts.values()].filter(({ kind }) => familyOf(kind) !== "outside").flatMap((alert) => nudgeText(alert, alert.count) ?? []);
  return texts.slice(0, 2).join(" ");
}
