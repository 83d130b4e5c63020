import { callOf } from "@phasekit/core/account";
import type { EventOf, EventType, HostEvent, RunEvent } from "@phasekit/core";
import { defined, setBounded } from "@phasekit/core/adapter";
import type { PhaseRecord } from "./phase-record.ts";
import { foldSubLoop, type SubLoopFold } from "./sub-loops.ts";
import { addAnswer, addChild, type AggregateFold, emptyAggregate } from "./usage-fold.ts";
import { foldValidation } from "./validation-patterns.ts";

type Rows<K extends keyof PhaseRecord> = NonNullable<PhaseRecord[K]> extends readonly (infer T)[] ? T[] : never;

/** The state of one entry while its events are read. Every list and map has a limit. */
export interface EntryFold {
  readonly entry: string;
  readonly phase: string;
  readonly attempt: number;
  readonly startedAt: number;
  readonly firstSeq: number;
  readonly resumability: PhaseRecord["resumability"];
  elapsed: number;
  readonly total: AggregateFold;
  readonly loops: Map<string, AggregateFold>;
  readonly subLoops: Map<string, SubLoopFold>;
  readonly validation: Map<string, Rows<"topValidationErrors">[number]>;
  readonly commodity: Map<string, number>;
  readonly failedOperations: Rows<"operationOutcomes">;
  readonly doneOperations: Rows<"operationOutcomes">;
  operationsOmitted: number;
  failedCount: number;
  doneCount: number;
  compile: EventOf<"check.finished"> | undefined;
  runtime: EventOf<"check.finished"> | undefined;
  readonly failedGates: Map<string, EventOf<"check.finished">>;
  error: HostEvent<"model.failed">["error"];
  lastAlert: PhaseRecord["lastStagnation"];
  readonly alerts: Map<string, Rows<"alerts">[number]>;
  readonly evidence: Map<string, Rows<"evidence">[number]>;
  readonly nudges: { sent: number; applied: number; helped: number; ignored: number; lost: number; dropped: number };
  readonly refusals: { calls: number; finishes: number };
  wastedCalls: number;
  wastedTokens: number | undefined;
  turn: { calls: number; wasted: number; tokens: number | undefined };
  tests: PhaseRecord["tests"];
  diff: PhaseRecord["diff"];
  readonly children: Map<string, Rows<"children">[number]>;
  readonly files: Set<string>;
}

/** State that entries of one run share: which turn it is, and which calls wait for their result. */
export interface RunContext {
  turn: number;
  iterationTurn: number;
  readonly pending: Map<string, string>;
  /** Nudges the agent got, whose effect is not known yet. */
  readonly sent: Map<string, true>;
  /** The loop of the last host event; events derived from it belong to that loop. */
  loop: string | undefined;
}

const LIMITS = {
  operations: 100,
  alerts: 32,
  evidence: 32,
  children: 64,
  loops: 32,
  kinds: 100,
  pending: 1000,
  sent: 64,
  files: 4096,
};

export function openEntry(
  opened: Pick<EntryFold, "entry" | "phase" | "attempt" | "startedAt" | "firstSeq" | "resumability">,
): EntryFold {
  return {
    ...opened,
    elapsed: 0,
    total: emptyAggregate(),
    loops: new Map(),
    subLoops: new Map(),
    validation: new Map(),
    commodity: new Map(),
    failedOperations: [],
    doneOperations: [],
    operationsOmitted: 0,
    failedCount: 0,
    doneCount: 0,
    compile: undefined,
    runtime: undefined,
    failedGates: new Map(),
    error: undefined,
    lastAlert: undefined,
    alerts: new Map(),
    evidence: new Map(),
    nudges: { sent: 0, applied: 0, helped: 0, ignored: 0, lost: 0, dropped: 0 },
    refusals: { calls: 0, finishes: 0 },
    wastedCalls: 0,
    wastedTokens: undefined,
    turn: { calls: 0, wasted: 0, tokens: undefined },
    tests: undefined,
    diff: undefined,
    children: new Map(),
    files: new Set(),
  };
}

/** Folds one event into its entry. Events that say nothing about an entry are left to the run. */
export function foldEntry(fold: EntryFold, event: RunEvent, context: RunContext): void {
  if (event.cause === undefined) {
    context.loop = event.loop;
    foldSubLoop(fold.subLoops, event);
  }
  if (event.turn !== undefined && event.turn > context.turn) {
    context.turn = event.turn;
    closeTurn(fold);
    both(fold, event, ({ metric }) => (metric.turns += 1));
  }
  // The key is the type of this very event.
  (FOLDS[event.type] as ((fold: EntryFold, event: RunEvent, context: RunContext) => void) | undefined)?.(
    fold,
    event,
    context,
  );
}

/** How an event changes an entry. The run folds events that move or end entries; the rest do not concern one. */
const FOLDS: { readonly [T in EventType]?: (fold: EntryFold, event: EventOf<T>, context: RunContext) => void } = {
  "model.answered": (fold, event) => {
    both(fold, event, (aggregate) => addAnswer(aggregate, event));
    foldTurnTokens(fold, event);
  },
  "model.failed": (fold, event) => {
    both(fold, event, ({ metric }) => (metric.modelFailures += 1));
    fold.error = event.error ?? {
      message: event.message ?? event.code ?? "the model call failed",
      ...defined({ code: event.code, status: event.status }),
    };
  },
  "tool.requested": (fold, event, context) => {
    foldCall(fold, event, context);
    if (event.call !== undefined && context.pending.size < LIMITS.pending) context.pending.set(event.call, event.tool);
  },
  "tool.finished": (fold, event, context) => {
    if (event.call === undefined || !context.pending.delete(event.call)) foldCall(fold, event, context);
    foldResult(fold, event);
  },
  "validation.failed": (fold, event) => {
    both(fold, event, ({ metric }) => (metric.validationFailures += 1));
    foldValidation(fold.validation, event);
  },
  "check.finished": (fold, event) => {
    if (event.check === "compile") fold.compile = event;
    else if (event.check === "runtime") fold.runtime = event;
    if (event.gate !== undefined) {
      if (event.outcome === "success") fold.failedGates.delete(event.gate);
      else if (fold.failedGates.size < LIMITS.evidence) fold.failedGates.set(event.gate, event);
      vouch(fold, event.gate, {
        verdict: event.outcome === "success" ? "pass" : "fail",
        why: event.first,
      });
    }
  },
  "output.produced": (fold, event) => {
    for (const [kind, amount] of Object.entries(event.counts)) {
      if (fold.commodity.has(kind) || fold.commodity.size < LIMITS.kinds)
        fold.commodity.set(kind, (fold.commodity.get(kind) ?? 0) + amount);
    }
  },
  "operation.finished": foldOperation,
  "workspace.observed": (fold, event) => {
    const { filesChanged, linesAdded, linesRemoved, commits } = event;
    fold.diff = defined({ filesChanged, linesAdded, linesRemoved, commits });
  },
  "alert.raised": foldAlert,
  "nudge.sent": (fold, event, context) => {
    if (event.guidance === true) return;
    fold.nudges.sent += 1;
    if (!event.applied) return;
    fold.nudges.applied += 1;
    setBounded(context.sent, [event.nudge, true], LIMITS.sent);
  },
  "nudge.settled": (fold, event, context) => {
    // Logs of earlier versions settle nudges that were never sent.
    if (context.sent.delete(event.nudge)) fold.nudges[event.helped ? "helped" : "ignored"] += 1;
  },
  "nudge.lost": (fold, event, context) => {
    context.sent.delete(event.nudge);
    fold.nudges.lost += 1;
  },
  "nudge.dropped": (fold) => {
    fold.nudges.dropped += 1;
  },
  "tool.refused": (fold, event, context) => {
    if (event.applied) {
      fold.refusals.calls += 1;
      if (event.call !== undefined) context.pending.delete(event.call);
    }
  },
  "finish.vetoed": (fold, event) => {
    if (event.applied) fold.refusals.finishes += 1;
    vouch(fold, event.gate, {
      verdict: event.held === "waived" ? "waived" : "fail",
      why: event.why ?? event.text,
    });
  },
  "finish.vouched": (fold, event) => {
    vouch(fold, event.gate, { verdict: event.verdict, why: event.why ?? event.evidence });
  },
  "child.started": (fold, event) => {
    if (fold.children.size < LIMITS.children) fold.children.set(event.child, { run: event.child });
  },
  "child.progressed": (fold, event) => {
    both(fold, event, (aggregate) => addChild(aggregate, event));
    foldSpending(fold, event);
  },
  "child.finished": (fold, event) => {
    if (fold.children.has(event.child) || fold.children.size < LIMITS.children)
      fold.children.set(event.child, { ...fold.children.get(event.child), run: event.child, reason: event.reason });
  },
};

/** Settles the last turn: when all its calls were wasted, so were its tokens. */
export function closeTurn(fold: EntryFold): void {
  const { calls, wasted, tokens } = fold.turn;
  if (calls > 0 && wasted === calls && tokens !== undefined) fold.wastedTokens = (fold.wastedTokens ?? 0) + tokens;
  fold.turn = { calls: 0, wasted: 0, tokens: undefined };
}

function both(fold: EntryFold, { loop }: RunEvent, add: (aggregate: AggregateFold) => unknown): void {
  add(fold.total);
  if (loop === undefined) return;
  let aggregate = fold.loops.get(loop);
  if (aggregate === undefined) {
    if (fold.loops.size >= LIMITS.loops) return;
    aggregate = emptyAggregate();
    fold.loops.set(loop, aggregate);
  }
  add(aggregate);
}

function foldTurnTokens(fold: EntryFold, { usage }: HostEvent<"model.answered">): void {
  if (usage?.inputTokens === undefined && usage?.outputTokens === undefined) return;
  fold.turn.tokens = (fold.turn.tokens ?? 0) + (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
}

/** A call counts once: at its request, or at its result when there was none. */
function foldCall(fold: EntryFold, event: RunEvent, context: RunContext): void {
  const first = context.iterationTurn !== context.turn;
  context.iterationTurn = context.turn;
  both(fold, event, ({ metric }) => {
    metric.toolCalls += 1;
    if (first) metric.iterations += 1;
  });
}

function foldResult(fold: EntryFold, event: HostEvent<"tool.finished">): void {
  const { outcome, meaning } = event;
  const failed = callOf(event).failed;
  if (callOf(event).worked && meaning.activity === "read")
    for (const file of meaning.targets ?? []) if (fold.files.size < LIMITS.files) fold.files.add(file);
  if (failed) both(fold, event, ({ metric }) => (metric.toolErrors += 1));
  // The first tests of an entry, and those after an edit, tell something even when they tell the same.
  const tried = meaning.tests !== undefined && (fold.tests?.editsSince ?? 1) > 0;
  const wasted = outcome === "denied" || (failed && meaning.tests === undefined) || (meaning.moved === false && !tried);
  fold.turn.calls += 1;
  if (wasted) {
    fold.turn.wasted += 1;
    fold.wastedCalls += 1;
  }
  if (meaning.tests !== undefined) {
    const { verdict, passed, failed } = meaning.tests;
    fold.tests = defined({ verdict, passed, failed, editsSince: 0 });
  } else if (callOf(event).landed && fold.tests !== undefined) fold.tests.editsSince += 1;
}

/** The cost of a sub-agent; unknown stays absent. */
function foldSpending({ children }: EntryFold, { child, usage = {}, toolCalls }: HostEvent<"child.progressed">): void {
  const known = children.get(child);
  if (known === undefined && children.size >= LIMITS.children) return;
  const sum = (before: number | undefined, more: number | undefined): number | undefined =>
    more === undefined || (more === 0 && before === undefined) ? before : (before ?? 0) + more;
  children.set(
    child,
    defined({
      ...known,
      run: child,
      toolCalls: sum(known?.toolCalls, toolCalls),
      inputTokens: sum(known?.inputTokens, usage.inputTokens),
      outputTokens: sum(known?.outputTokens, usage.outputTokens),
      cost: sum(known?.cost, usage.cost),
    }),
  );
}

function foldOperation(fold: EntryFold, { name, outcome, why }: HostEvent<"operation.finished">): void {
  const list = outcome === "failure" ? fold.failedOperations : fold.doneOperations;
  if (outcome === "failure") fold.failedCount += 1;
  else fold.doneCount += 1;
  if (list.length >= LIMITS.operations) fold.operationsOmitted += 1;
  else list.push(defined({ name, outcome, why: why?.slice(0, 200) }));
}

function foldAlert(fold: EntryFold, event: EventOf<"alert.raised">, { loop }: RunContext): void {
  const { by: policy, kind, signature, severity, count } = event;
  fold.lastAlert = { type: event.loop ?? loop ?? event.on, kind, signature, count };
  const key = JSON.stringify([policy, kind, signature]);
  const times = (fold.alerts.get(key)?.times ?? 0) + 1;
  if (times > 1 || fold.alerts.size < LIMITS.alerts)
    fold.alerts.set(key, { policy, kind, signature: signature.slice(0, 200), severity, count, times });
}

/** Keeps the last finding of a gate. */
function vouch(
  { evidence }: EntryFold,
  gate: string,
  { verdict, why }: { readonly verdict: Rows<"evidence">[number]["verdict"]; readonly why: unknown },
): void {
  if (evidence.has(gate) || evidence.size < LIMITS.evidence)
    evidence.set(gate, defined({ gate, verdict, text: typeof why === "string" ? why.slice(0, 200) : undefined }));
}
