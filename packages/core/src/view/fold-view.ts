import { addRecent, setBounded } from "../text/bounded.ts";
import { defined } from "../text/defined.ts";
import type { Actor, DerivedEvent, EventOf, EventType, HostEvent, RunEvent, Usage } from "../events/run-event.ts";
import { callFailed, callWorked } from "../account/call.ts";
import { evidenceAtEnd, findingOf } from "../account/evidence.ts";
import { normalizeFinishReason } from "../run/finish-reason.ts";
import { readLastWords } from "../run/last-words.ts";
import { foldAlert, foldLostNudge, foldNudge, foldFinding, foldVeto } from "./fold-decisions.ts";
import { enterPhase, foldMove, foldRollback } from "./fold-phases.ts";
import type { RunOutcome } from "./run-view.ts";
import { LIMIT_REASONS } from "../policies/limits.ts";
import { identity, VIEW_LIMITS, type ViewState } from "./view-state.ts";

/** Folds one event into the view. The same events always give the same view. */
export function foldView(view: ViewState, event: RunEvent): void {
  passTime(view, event);
  view.seq = event.seq;
  // The key is the type of this very event.
  (FOLDS as Partial<Record<EventType, (view: ViewState, event: never) => void>>)[event.type]?.(view, event as never);
}

/** Events the view does not fold; a new type must be named here or folded below. */
type IgnoredType =
  | "model.reasoned"
  | "budget.requested"
  | "budget.denied"
  | "quota.observed"
  | "workspace.observed"
  | "todos.updated"
  | "plan.declared"
  | "event.recorded"
  | "event.rejected"
  | "phase.timed-out"
  | "exploration.saturation"
  | "event.emitted";

/** How an event changes the view. */
const FOLDS: { readonly [T in Exclude<EventType, IgnoredType>]: (view: ViewState, event: EventOf<T>) => void } = {
  "run.started": (view, event) => {
    view.startedAt = event.at;
    view.task = event.task;
    view.item = event.item;
    view.parent = event.parent;
    view.attempt = event.attempt;
    view.limits = event.limits ?? {};
    view.givenLimits = view.limits;
    view.parts = event.policies;
    enterPhase(view, { phase: event.phase, at: event.at });
  },
  "run.resumed": (view, event) => {
    view.status = "running";
    view.attempt = event.attempt;
    if (event.limits !== undefined) view.limits = view.givenLimits = event.limits;
    view.stopped = undefined;
    view.suspendUntil = undefined;
    view.wrapUpTurn = undefined;
    view.outcome = undefined;
    view.modelFailure = undefined;
    view.lastAnswer = undefined;
    view.stops.clear();
    view.pending.clear();
    closeQuestions(view);
  },
  "run.finished": (view, event) => {
    view.status = "ended";
    view.outcome = outcomeOf(view, event);
  },
  "turn.started": (view, event) => {
    startTurn(view, "starts");
    view.turnOpen = true;
    view.turnAgent = event.agent;
    for (const [call, { refused }] of view.pending) if (refused !== undefined) view.pending.delete(call);
  },
  "model.answered": (view, event) => {
    if (view.turnSource !== "starts") startTurn(view, "answers");
    view.modelFailure = undefined;
    foldAnswer(view, event);
    foldUsage(view, event.usage);
    closeQuestions(view);
  },
  "model.failed": (view, event) => {
    view.modelFailure = failureOf(event);
  },
  "tool.requested": foldRequest,
  "tool.finished": foldResult,
  "message.sent": (view, event) => {
    closeQuestions(view);
    if (event.length > 0) foldText(view, event.excerpt);
  },
  "message.received": (view, event) => {
    if (event.inRequest !== true) closeQuestions(view);
    else if (view.finish !== undefined) view.finish.open = false;
    view.changedSinceAsked = false;
    view.lastWords = undefined;
    foldProgress(view, event, "a message to the agent");
  },
  "finish.requested": (view, event) => {
    closeQuestions(view);
    view.modelFailure = undefined;
    if ((event.text ?? "") !== "") foldText(view, event.text);
    view.finish = { seq: event.seq, open: true, vetoed: false, texts: [], unmet: [], gates: [] };
  },
  "move.requested": foldCommand,
  "budget.granted": foldGrant,
  "context.compacted": (view) => {
    view.compactions += 1;
  },
  "check.finished": (view, event) => {
    foldCheck(view, event);
    closeQuestions(view);
  },
  // A host may report nothing but work: it happened in the open turn, so the next question is a new one.
  "validation.failed": closeQuestions,
  "output.produced": closeQuestions,
  "operation.finished": closeQuestions,
  "question.asked": closeQuestions,
  "claim.submitted": closeQuestions,
  "clock.ticked": (view, event) => {
    view.tickedAt = event.at;
  },
  "progress.made": (view, event) => {
    foldProgress(view, event, event.what);
  },
  "review.finished": (view, event) => {
    view.reviews.delete(event.review);
    foldProgress(view, event, "a review");
  },
  "verdict.given": (view, event) => {
    if (event.verdict === "approved") foldProgress(view, event, "an approved claim");
  },
  "nudge.lost": (view, event) => {
    foldLostNudge(view, event.nudge);
  },
  "child.started": (view, event) => {
    setBounded(view.children, [event.child, { child: event.child, ...NEW_CHILD }], VIEW_LIMITS.children);
  },
  "child.progressed": foldChild,
  "child.finished": (view, event) => {
    const child = view.children.get(event.child);
    if (child !== undefined) view.children.set(event.child, { ...child, status: "ended", reason: event.reason });
  },
  "phase.transition": foldMove,
  "phase.rolled-back": foldRollback,
  "phase.refused": (view, event) => {
    setBounded(view.refusals, [identity(event.by, event.do, event.to ?? ""), true], VIEW_LIMITS.refusals);
  },
  "phase.skipped": (view, event) => {
    view.skipped.add(event.phase);
    view.owed = view.owed.filter(({ visit }) => visit !== event.phase);
  },
  "nudge.sent": foldNudge,
  "nudge.dropped": (view, event) => {
    setBounded(view.drops, [identity(event.by, event.episode, event.why), true], VIEW_LIMITS.episodes);
  },
  "nudge.settled": (view, event) => {
    view.openNudges.delete(event.nudge);
  },
  "alert.raised": foldAlert,
  "alert.cleared": (view, event) => {
    view.alerts.delete(identity(event.by, event.kind, event.signature));
  },
  "tool.refused": (view, event) => {
    const pending = event.call === undefined ? undefined : view.pending.get(event.call);
    if (event.applied && pending !== undefined) {
      view.pending.set(pending.call, { ...pending, refused: { text: event.text, by: event.by } });
    }
  },
  "finish.vetoed": foldVeto,
  "finish.vouched": foldFinding,
  "review.requested": (view, event) => {
    const { review, kind, text, by, applied, data } = event;
    setBounded(view.reviews, [review, defined({ review, kind, text, by, applied, data })], VIEW_LIMITS.reviews);
    view.reviewCounts.set(by, (view.reviewCounts.get(by) ?? 0) + 1);
    setBounded(view.episodes, [identity("review", by, event.episode), 1], VIEW_LIMITS.episodes);
  },
  "stop.requested": (view, event) => {
    const { reason, how, text, by, applied } = event;
    setBounded(view.stops, [identity(by, reason), true], VIEW_LIMITS.refusals);
    if (applied && view.stopped === undefined) {
      view.stopped = defined({ reason, how, by, text });
      // Decided while a turn begins, this turn is the closing one; decided later, the next.
      if (how === "wrap-up") view.wrapUpTurn = view.turnOpen ? view.turn : view.turn + 1;
    }
  },
  "policy.failed": foldFailure,
};

const NEW_CHILD = { status: "running", toolCalls: 0, inputTokens: 0, outputTokens: 0 } as const;

function passTime(view: ViewState, { type, at }: RunEvent): void {
  const passed = at - view.now;
  view.now = at;
  if (type === "run.started" || type === "run.resumed" || view.status !== "running") return;
  view.activeMs += passed;
  view.entry.activeMs += passed;
}

function startTurn(view: ViewState, source: "answers" | "starts" | "none"): void {
  view.turnSource = source;
  view.turn += 1;
  view.turnsInPhase += 1;
  view.entry.turns += 1;
  view.turnHasTools = false;
  view.nextIndex = 0;
  view.turnNudges.length = 0;
  closeQuestions(view);
}

/** Something happened, so the next question is a new one. */
function closeQuestions(view: ViewState): void {
  view.turnOpen = false;
  if (view.finish !== undefined) view.finish.open = false;
}

/** A failed call in the shape of an error. */
function failureOf({ error, message, code, status }: HostEvent<"model.failed">): ViewState["modelFailure"] {
  return { message: "", ...error, ...defined({ message, code, status }) };
}

function foldAnswer(view: ViewState, { finishReason, textLength, toolCalls }: HostEvent<"model.answered">): void {
  view.lastAnswer = {
    ...(finishReason !== undefined && { finish: normalizeFinishReason(finishReason) }),
    empty: textLength === 0 && toolCalls === 0 && !view.handedIn,
  };
}

/** The agent said something after all. */
function foldText(view: ViewState, text: string | undefined): void {
  view.lastWords = text === undefined ? undefined : readLastWords(text);
  if (view.lastAnswer?.empty === true) view.lastAnswer = { ...view.lastAnswer, empty: false };
}

function foldUsage(view: ViewState, usage: HostEvent<"model.answered">["usage"]): void {
  const totals = view.usage;
  totals.modelCalls += 1;
  if (usage?.inputTokens === undefined && usage?.outputTokens === undefined) {
    totals.unknownCalls += 1;
    if (usage === undefined) {
      totals.unpricedCalls += 1;
      return;
    }
  }
  if (usage.cost === undefined) totals.unpricedCalls += 1;
  addUsage(view, usage, { baseline: view.limits.baseline, repeated: view.contextTokens });
  view.contextTokens = usage.inputTokens ?? view.contextTokens;
}

/** Adds usage to the totals. Of the baseline a call pays again, as much is cached as the call says. */
function addUsage(view: ViewState, usage: Usage, { baseline = 0, repeated = 0 } = {}): void {
  const totals = view.usage;
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens: cached = 0 } = usage;
  const { cachedWeight = 1, repeatedWeight = 1 } = view.limits;
  const paid = Math.max(0, cached - baseline) * Math.min(cachedWeight, repeatedWeight);
  const again = Math.max(0, Math.min(inputTokens, repeated) - Math.max(cached, baseline)) * (1 - repeatedWeight);
  totals.chargedTokens += outputTokens + paid + Math.max(0, inputTokens - Math.max(cached, baseline)) - again;
  if (usage.estimated === true) totals.estimatedCalls += 1;
  totals.inputTokens += inputTokens;
  totals.outputTokens += outputTokens;
  totals.cachedInputTokens += usage.cachedInputTokens ?? 0;
  totals.cacheWriteTokens += usage.cacheWriteTokens ?? 0;
  totals.reasoningTokens += usage.reasoningTokens ?? 0;
  totals.cost += usage.cost ?? 0;
  view.entry.inputTokens += inputTokens;
  view.entry.outputTokens += outputTokens;
}

/** A tool event outside any turn opens its own. */
function foldCall(view: ViewState): void {
  if (view.turnSource === "none") startTurn(view, "none");
  closeQuestions(view);
  view.toolCalls += 1;
  view.entry.toolCalls += 1;
  if (view.turnHasTools) return;
  view.turnHasTools = true;
  view.iterations += 1;
  view.entry.iterations += 1;
}

function foldRequest(view: ViewState, event: HostEvent<"tool.requested">): void {
  foldCall(view);
  const { call = "", tool, input, meaning, at, index = view.nextIndex } = event;
  view.nextIndex += 1;
  view.nextCall += 1;
  const pending = { call, tool, meaning, turn: view.turn, index, at, ...defined({ input }) };
  setBounded(view.pending, [call, pending], VIEW_LIMITS.pending);
}

function foldResult(view: ViewState, event: HostEvent<"tool.finished">): void {
  const { call = "", meaning } = event;
  const worked = callWorked(event);
  if (!view.pending.delete(call)) {
    foldCall(view);
    view.nextIndex += 1;
  }
  closeQuestions(view);
  view.handedIn = worked && meaning.activity === "finish";
  if (call !== "") addRecent(view.finishedCalls, call, VIEW_LIMITS.finishedCalls);
  if (worked && meaning.activity === "read") foldReads(view, meaning.targets);
  if (callFailed(event)) view.entry.toolErrors += 1;
  if (worked && meaning.mutates === true && meaning.moved !== false) {
    view.changedSinceAsked = true;
    foldProgress(view, event, "a change that landed");
  }
  // A call that is known to change nothing is a look.
  if (meaning.mutates !== false) view.lastTryFailed = !worked;
  view.lastWords = undefined;
  if (meaning.tests?.verdict === "pass") foldProgress(view, event, "passing tests");
}

function foldReads({ entry, entryFiles }: ViewState, files: readonly string[] = []): void {
  for (const file of files) if (entryFiles.size < VIEW_LIMITS.files) entryFiles.add(file);
  entry.filesRead = entryFiles.size;
}

/** A gate that was checked again has the newer result. */
function foldCheck({ failedGates }: ViewState, { gate, outcome }: HostEvent<"check.finished">): void {
  if (gate === undefined) return;
  failedGates.delete(gate);
  if (outcome !== "success" && failedGates.size < VIEW_LIMITS.failedGates) failedGates.add(gate);
}

/** A limit grows, and a stop at it is taken back. The agent cannot grant itself more. */
function foldGrant(view: ViewState, { limit, amount, by }: HostEvent<"budget.granted">): void {
  const all = view.limits[limit];
  if (all === undefined || by === "agent") return;
  view.limits = { ...view.limits, [limit]: all + amount };
  for (const key of view.stops.keys()) if (key.endsWith(LIMIT_REASONS[limit])) view.stops.delete(key);
  if (view.stopped?.reason !== LIMIT_REASONS[limit]) return;
  view.stopped = undefined;
  view.wrapUpTurn = undefined;
}

function foldProgress(view: ViewState, { seq, at }: RunEvent, what: string): void {
  view.lastProgress = { seq, turn: view.turn, at, what };
  view.vetoesSinceProgress = 0;
}

function foldCommand(view: ViewState, event: HostEvent<"move.requested">): void {
  if (event.do === "suspend" && view.status === "running") {
    view.status = "suspended";
    view.suspendUntil = event.until;
  } else if (event.do === "resume" && view.status === "suspended") {
    view.status = "running";
    view.suspendUntil = undefined;
    closeQuestions(view);
  } else if (event.do === "waive" && event.gate !== undefined && mayOverride(event.by) && hasReason(event)) {
    setBounded(view.waivers, [event.gate, { until: event.until }], VIEW_LIMITS.waivers);
  }
}

function foldChild(view: ViewState, event: HostEvent<"child.progressed">): void {
  const child = view.children.get(event.child);
  const { unknownUsage = 0, usage, unknownCost = Math.max(unknownUsage, isUnpriced(usage) ? 1 : 0) } = event;
  view.usage.unknownCalls += unknownUsage;
  view.usage.unpricedCalls += unknownCost;
  if (usage !== undefined) addUsage(view, usage);
  if (child === undefined) return;
  const cost = usage?.cost;
  view.children.set(event.child, {
    ...child,
    // Logs of earlier versions say 0 for a cost that is not known.
    ...(cost !== undefined && (cost > 0 || event.unknownCost === 0) && { cost: (child.cost ?? 0) + cost }),
    toolCalls: child.toolCalls + (event.toolCalls ?? 0),
    inputTokens: child.inputTokens + (usage?.inputTokens ?? 0),
    outputTokens: child.outputTokens + (usage?.outputTokens ?? 0),
  });
}

/** True for tokens without a cost. Logs of earlier versions say 0 for a cost that is not known. */
function isUnpriced(usage: Usage | undefined): boolean {
  return (usage?.cost ?? 0) === 0 && (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0) > 0;
}

function foldFailure(view: ViewState, { policy, during }: DerivedEvent<"policy.failed">): void {
  const failures = (view.failures.get(policy) ?? 0) + 1;
  view.failures.set(policy, failures);
  // A throw in an observer leaves its state half changed; elsewhere a policy has three chances.
  if (during === "observe" || failures >= 3) view.disabled.add(policy);
}

function outcomeOf(view: ViewState, event: HostEvent<"run.finished">): RunOutcome {
  const { reason, verified, phase, predicate, error } = event;
  const found = findingOf(event);
  const evidence = evidenceAtEnd(reason, [...(view.finish?.gates ?? []), ...(found === undefined ? [] : [found])]);
  return defined({ phase, reason, verified, predicate, evidence, error });
}

/** True if an override of a rule has a reason. */
export function hasReason({ why = "" }: HostEvent<"move.requested">): boolean {
  return why.trim() !== "";
}

/** True for actors that may skip a phase, undo one or waive a gate: people and judges, never the agent or a policy. */
export function mayOverride(actor: Actor): boolean {
  return actor === "user" || actor === "judge";
}
