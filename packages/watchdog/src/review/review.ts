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
import { labelOf } from "@phasekit/core/account";
import { assertNumbers, ownValue, phaseSpec, setBounded } from "@phasekit/core/adapter";
import { findingsOf } from "../alert-text.ts";
import { analyzePattern } from "./analyze-pattern.ts";
import { helpGiven } from "./answer-reviews.ts";
import { buildReview, type ReviewRequest, WARN_AT } from "./build-review.ts";
import { isGuidance } from "./is-guidance.ts";
import { createReviewLog, logNudge, logObservers, REVIEW_LIMITS, type ReviewLog, reviewState } from "./review-log.ts";

/** Options for `budgetReview()`. All optional. */
export interface BudgetReviewOptions<TPhase extends string = string> {
  /** Turns a phase entry may take before a review, for all phases or by phase. @default the phase's maxTurns */
  readonly turns?: number | Readonly<Record<TPhase, number>>;
  /** Calls the analysis of a request looks at, the newest. @default 20 */
  readonly window?: number;
  /** Characters of recent context in a request, out of the last 60 messages; four are about a token. @default 8000 */
  readonly characters?: number;
  /** The "needs changes" in a row from which a request warns the reviewer. @default 3 */
  readonly warnAt?: number;
  /** The "needs changes" in a row that counts as a rejection, without asking. `Infinity` for never. @default 6 */
  readonly rejectAt?: number;
  /** The text of a request. @default Markdown with all of its parts */
  readonly text?: (request: ReviewRequest) => string;
  /**
   * True if the feedback of an approval tells the agent something. `named` has the calls that failed or were repeated.
   * @default English instructions, and names of these calls
   */
  readonly isGuidance?: (feedback: string, named: readonly string[]) => boolean;
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
/**
 * The budget review: asks for one when a phase entry has used its turns, and carries out the answers. Feedback always
 * reaches the agent. While an alert is open, or the analysis in the request says ALERT, an approval without guidance is
 * sent back once, and then counts as "needs changes" with guidance made from the findings; praise is not guidance. The
 * third "needs changes" in a row warns the reviewer, the sixth request is rejected. Only a review abandons a run. If a
 * reviewer fails, the run continues.
 *
 * @example
 * const run = createRun({ policies: [watchdog(), budgetReview({ turns: { planning: 10, coding: 12 } })] });
 * answerReviews(run, { reviewer: modelReviewer((text) => ask(text)) });
 * @throws INVALID_OPTION if a number is not in its range.
 */
export function budgetReview(options?: BudgetReviewOptions & { readonly turns?: number }): Policy;
export function budgetReview<const TPhase extends string>(
  options: BudgetReviewOptions<TPhase> & { readonly turns: Readonly<Record<TPhase, number>> },
): Policy<unknown, TPhase>;
export function budgetReview({
  turns,
  window = REVIEW_LIMITS.window,
  characters = REVIEW_LIMITS.characters,
  warnAt = WARN_AT,
  rejectAt = 6,
  text: textOf,
  isGuidance: guides = isGuidance,
}: BudgetReviewOptions = {}): Policy {
  const byPhase: Readonly<Record<string, number>> = typeof turns === "object" ? turns : {};
  assertNumbers(typeof turns === "number" ? { turns, characters } : { ...byPhase, characters });
  assertNumbers({ window, warnAt }, { atLeast: 1 });
  assertNumbers({ rejectAt }, { atLeast: 2 });
  const budgetOf = (run: RunView): number | undefined =>
    typeof turns === "number" ? turns : (ownValue(byPhase, run.phase) ?? phaseSpec(run.graph, run.phase)?.maxTurns);

  function atTurn(
    run: RunView,
    state: Readonly<ReviewState>,
    agent: string | undefined,
  ): readonly (Nudge | Review | Stop | Emit)[] {
    const decisions: (Nudge | Review | Stop | Emit)[] = feedbackOf(state);
    const kind = wanted(run, state, budgetOf(run));
    // A run that is being stopped needs no review.
    if (kind === undefined || run.stopped !== undefined) return decisions;
    const streak = state.streaks.get(streakOf(agent, kind)) ?? 0;
    if (streak >= rejectAt - 1) {
      const why = `${String(streak)} reviews in a row asked for changes and nothing came of them.`;
      return [
        ...decisions,
        emit(reviewDecided, { kind: streakOf(agent, kind), verdict: "reject", why }),
        stop({ reason: "abandoned", text: why }),
      ];
    }
    const remark = state.again === "" ? undefined : BARE_REMARK;
    // The turn that asks waits for the answer: it has not been taken.
    const spent = run.turnsInPhase - 1;
    const text = buildReview(run, { streak, budget: budgetOf(run), remark, turns: spent, warnAt, text: textOf });
    return [...decisions, requestReview({ kind, text, episode: `${run.phaseEntry}:${String(state.requests)}` })];
  }

  return definePolicy<ReviewState, string>({
    name: NAME,
    version: "3",
    mentions: Object.keys(byPhase),
    key: reviewState as StateKey<ReviewState>,
    initial: () => createReviewState(createReviewLog({ window, characters })),
    observe: {
      ...logObservers,
      "review.requested": foldRequest,
      "review.finished": (state, event, run) => {
        const { log } = state;
        const feedback = event.feedback?.trim() ?? "";
        foldAnswer(state, event, {
          run,
          feedback,
          guidance: guidanceFor(run, log),
          guides: guides(feedback, namesIn(log)),
        });
      },
      "nudge.sent": foldNudge,
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
      "review.finished": (_run, state) => answered(state),
    },
    // The overloads say which phases it mentions.
  }) as Policy<ReviewState>;
}

const createReviewState = (log: ReviewLog): ReviewState => ({
  log,
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
});

/** The kind of review that is due. */
function wanted(
  { phaseEntry, turnsInPhase }: RunView,
  { again, asked, entry, grantedAt }: Readonly<ReviewState>,
  budget: number | undefined,
): string | undefined {
  if (asked.size > 0) return undefined;
  if (again !== "") return again;
  const since = entry === phaseEntry ? turnsInPhase - grantedAt : turnsInPhase;
  return budget !== undefined && since > budget ? "budget" : undefined;
}

function foldRequest(state: ReviewState, { review: id, kind, by, applied, agent }: EventOf<"review.requested">): void {
  if (by === NAME) {
    state.requests += 1;
    state.again = "";
  }
  // A request that is not sent gets no answer.
  if (applied) setBounded(state.asked, [id, streakOf(agent, kind)], MAX_ASKED);
}

function foldNudge({ log, feedback }: ReviewState, event: EventOf<"nudge.sent">): void {
  logNudge(log, event);
  if (event.by !== NAME) return;
  const sent = feedback.findIndex(({ id }) => `review ${id}` === event.episode);
  if (sent >= 0) feedback.splice(sent, 1);
}

/** Carries out an answer. */
function answered(state: Readonly<ReviewState>): Stop | readonly (Nudge | Emit)[] {
  const { rejected, decided } = state;
  if (rejected !== "") return stop({ reason: "abandoned", text: rejected });
  // Sent in this turn if it waited for the answer; otherwise in the next one.
  if (decided === "") return feedbackOf(state);
  const why = "The answer gave no guidance while an alert was open.";
  return [...feedbackOf(state), emit(reviewDecided, { kind: decided, verdict: "needs-changes", why })];
}

const BARE_REMARK =
  "Your approval came without guidance while an alert was open; praise is not guidance. Say what to stop, why, and " +
  "what to do instead; a second bare approval counts as needs-changes.";

function feedbackOf({ feedback }: Readonly<ReviewState>): Nudge[] {
  return feedback.map(({ id, text }) => nudge(text, { episode: `review ${id}`, priority: 20, guidance: true }));
}

/** The key under which reviews of one agent and kind are counted together. */
function streakOf(agent: string | undefined, kind: string): string {
  return agent === undefined ? kind : `${agent} ${kind}`;
}

/** An answer with what it is measured by. */
interface AnswerContext {
  readonly run: RunView;
  readonly feedback: string;
  /** Guidance made from what is found about the run; empty when nothing is. */
  readonly guidance: string;
  /** True if the feedback tells the agent something. */
  readonly guides: boolean;
}

function foldAnswer(
  state: ReviewState,
  { review: id, verdict }: EventOf<"review.finished">,
  { run, feedback, guidance, guides }: AnswerContext,
): void {
  const kind = state.asked.get(id) ?? "budget";
  state.asked.delete(id);
  state.rejected = "";
  state.decided = "";
  if (verdict === "reject") {
    state.rejected = feedback === "" ? "A review rejected the work." : feedback;
    state.streaks.delete(kind);
    return;
  }
  state.entry = run.phaseEntry;
  state.grantedAt = run.turnsInPhase;
  const bare = verdict === "approve" && !guides && guidance !== "";
  if (bare && !state.sentBack.has(kind)) {
    setBounded(state.sentBack, [kind, true], MAX_ASKED);
    state.again = kind.slice(kind.lastIndexOf(" ") + 1);
    return;
  }
  // If a reviewer fails, the run continues; with an open alert the agent gets guidance made from it.
  const helpless = verdict === "failed" && guidance !== "";
  if (verdict === "needs-changes" || bare || helpless) {
    state.streaks.set(kind, (state.streaks.get(kind) ?? 0) + 1);
    if (verdict !== "needs-changes") state.decided = kind;
  } else state.streaks.delete(kind);
  state.sentBack.delete(kind);
  // Praise beside an alert would tell the agent that all is well.
  const own = bare ? "" : feedback;
  const added = guides || (verdict === "approve" && !bare) ? "" : guidance;
  const text = [own, added].filter((part) => part !== "").join(" ");
  if (text !== "") state.feedback.push({ id, text: `Guidance from the review: ${text}` });
  else if (verdict === "needs-changes")
    state.feedback.push({
      id,
      text: "The review asks for changes. Say what you have, what is missing, and do that next.",
    });
}

/** Guidance made from the open alerts, or from the analysis of the calls; empty when neither finds anything. */
function guidanceFor(run: RunView, { calls, limits }: ReviewLog): string {
  const alerts = findingsOf(run);
  const findings = alerts.length > 0 ? alerts : analyzePattern(calls, { window: limits.window }).findings;
  if (findings.length === 0) return "";
  const texts = findings.slice(0, 2).map(({ text }) => text);
  return [...texts, ...(alerts.length > 0 ? [] : ["Find the cause first, or reach the goal another way."])].join(" ");
}

/** The arguments of the calls that failed or were repeated, by which a reviewer may name them. */
function namesIn({ calls }: ReviewLog): readonly string[] {
  return calls.flatMap(({ tool, about = tool, failed }, index) => {
    if (!failed && calls[index - 1]?.about !== about) return [];
    const label = labelOf(about);
    // Praise may hold the name of a tool: "you write good code".
    return [label.startsWith(`${tool} `) ? label.slice(tool.length + 1) : label];
  });
}
