import { accepts, isFact, outOfPlace, typeOf } from "./accept-fact.ts";
import { finishAnswer, mustStop, toolAnswer, turnAnswer } from "./answers.ts";
import { DEFAULT_CLIP } from "./clip.ts";
import { defined } from "./defined.ts";
import { errorToShape } from "./error-shape.ts";
import { calledFromPolicy, invalidOption } from "./errors.ts";
import type { HostEvent, NewFact, RunEvent } from "./facts/run-event.ts";
import { followChild } from "./follow-child.ts";
import type { Interpreter } from "./interpreter.ts";
import { createMachine, type Machine } from "./machine.ts";
import type { PhaseGraph } from "./phase-graph.ts";
import { planPolicies } from "./policy-plan.ts";
import type { ChildOptions, EndOptions, FinishAnswer, MoveOptions, Run, RunOptions, Subscriber, ToolAnswer, TurnAnswer } from "./run.ts";
import { changedParts, checkOptions, interpretersOf } from "./run-options.ts";
import { left, type Limits } from "./run-view.ts";
import { systemClock } from "./system-clock.ts";
import { callId, checkFact, type Door, type Taken, takeFact } from "./take-fact.ts";
import { createTextStreams } from "./text-streams.ts";
import { emptyView } from "./view-state.ts";
import { givenReason, unansweredFailure } from "./why-ended.ts";

/** A run with the parts that replay and simulation work on. */
export interface AssembledRun<TPhase extends string> {
  readonly run: Run<TPhase>;
  readonly machine: Machine;
  readonly interpreters: readonly Interpreter[];
}

const WORKING: PhaseGraph = { name: "working", initial: "working", phases: { working: { next: [], final: true } } };
const BACKLOG = 256;

/** Puts a run together. With `stored`, it continues that header instead of starting a log of its own. */
export function assembleRun<TPhase extends string>(
  options: RunOptions<TPhase>,
  { stored, inherited }: { readonly stored?: HostEvent<"run.started">; readonly inherited?: Limits } = {},
): AssembledRun<TPhase> {
  const graph = (options.graph ?? WORKING);
  const mode = options.mode ?? stored?.mode ?? "nudge";
  const clock = options.clock ?? systemClock;
  const id = options.id ?? stored?.run ?? (options.createId ?? randomId)();
  // A child that is read back is bound as it was: its header says by what.
  const plan = planPolicies(options.policies, graph, inherited ?? (stored?.parent === undefined ? {} : stored.limits));
  checkOptions({ mode, id });
  const interpreters = interpretersOf(options);
  const view = emptyView({ id, graph, mode });
  const { sinceProgress = 3, inAll = 6 } = options.maxVetoes ?? {};
  const machine = createMachine({ view, plan, nudges: options.nudges ?? {}, maxVetoes: { sinceProgress, inAll } });
  const door: Door = { view, interpreters, redact: options.redact, clip: { ...DEFAULT_CLIP, ...options.clip }, clock };
  const streams = createTextStreams(plan.watching, { mayStop: (policy) => machine.acts(policy, "gate"), isDisabled: (policy) => view.disabled.has(policy) });

  const subscribers = new Set<Subscriber>();
  const deliveries: (readonly RunEvent[])[] = [];
  const waiting: unknown[] = [];
  const children = new Set<Run>();
  let backlog: (readonly RunEvent[])[] | undefined = stored === undefined ? [] : undefined;
  let backlogEvents = 0;
  let deciding = false;
  /** Read from a log and not yet resumed. */
  let readBack = stored !== undefined;
  let delivering = false;

  const header = {
    type: "run.started",
    run: id,
    graph: graph.name,
    phase: graph.initial,
    mode,
    attempt: 1,
    task: options.task,
    item: options.item,
    parent: options.parent,
    policies: plan.parts,
    interpreters: interpreters.map(({ name, version }) => ({ name, version })),
    limits: Object.keys(plan.limits).length === 0 ? undefined : plan.limits,
  };

  /** Every fact goes through here. */
  function take(fact: unknown): boolean {
    if (deciding) {
      waiting.push(fact);
      return true;
    }
    if (!accepts(view, fact)) return false;
    const taken = read(fact);
    const issues = taken.event === undefined ? taken.issues : outOfPlace(view, taken.event);
    if (taken.event === undefined || issues.length > 0) {
      reject(fact, issues);
      return false;
    }
    process(taken.event);
    return true;
  }

  /** A host's object may throw when it is looked at; the host never notices. */
  function read(fact: unknown): Taken {
    // An interpreter that records something must wait as a policy does.
    deciding = true;
    try {
      return takeFact(isFact(fact, "message.sent") ? streams.close(fact) : fact, door);
    } catch {
      return { event: undefined, issues: [{ path: "", message: "it cannot be read" }] };
    } finally {
      deciding = false;
    }
  }

  function process(event: HostEvent): void {
    deciding = true;
    let step: readonly RunEvent[];
    try {
      step = machine.step(event);
    } finally {
      deciding = false;
    }
    deliver(step);
    if (view.stopped !== undefined || view.status === "ended") stopChildren();
    for (let fact = waiting.shift(); fact !== undefined; fact = waiting.shift()) take(fact);
  }

  function reject(fact: unknown, issues: readonly { readonly path: string; readonly message: string }[]): void {
    const type = typeof fact === "object" && fact !== null ? typeOf(fact) : undefined;
    const taken = takeFact({ type: "fact.rejected", rejected: typeof type === "string" ? type : typeof fact, issues, excerpt: fact }, door);
    if (taken.event !== undefined) process(taken.event);
  }

  /** Steps reach subscribers in order, also when a subscriber records something. */
  function deliver(step: readonly RunEvent[]): void {
    keep(step);
    if (subscribers.size === 0) return;
    deliveries.push(step);
    if (delivering) return;
    delivering = true;
    for (let next = deliveries.shift(); next !== undefined; next = deliveries.shift()) {
      for (const subscriber of [...subscribers]) tell(subscriber, next);
    }
    delivering = false;
  }

  function keep(step: readonly RunEvent[]): void {
    backlogEvents += step.length;
    if (backlogEvents > BACKLOG) backlog = undefined;
    backlog?.push(step);
  }

  function tell(subscriber: Subscriber, step: readonly RunEvent[]): void {
    try {
      subscriber(step);
    } catch (error) {
      report(error);
    }
  }

  function report(error: unknown): void {
    try {
      options.onError?.(error);
    } catch {
      // There is nobody left to tell, and the agent must not notice.
    }
  }

  function stopChildren(): void {
    const living = [...children];
    children.clear();
    for (const child of living) child.stop({ by: "host", reason: "parent_ended", why: "The run that started this one has ended." });
  }

  function ask(method: string): void {
    if (deciding) throw calledFromPolicy(method);
  }

  function beforeTurn(question: { readonly agent?: string; readonly at?: number; readonly prompt?: string } = {}): TurnAnswer {
    ask("beforeTurn");
    const again = view.turnOpen && (question.agent === undefined || question.agent === view.turnAgent);
    if (!again && !mustStop(view)) take({ type: "turn.started", ...question });
    return turnAnswer(view);
  }

  function beforeTool(question: Parameters<Run["beforeTool"]>[0]): ToolAnswer {
    ask("beforeTool");
    const given = callId(question.call);
    const closed = view.status !== "running";
    const asked = given === undefined ? undefined : view.pending.get(given);
    const again = asked !== undefined && asked.turn === view.turn;
    if (!closed && !again) take({ type: "tool.requested", ...question });
    const call = given ?? `call-${String(view.nextCall - (closed ? 0 : 1))}`;
    return toolAnswer(view, call);
  }

  function beforeFinish(question: { readonly canVeto?: boolean; readonly text?: string; readonly agent?: string; readonly at?: number } = {}): FinishAnswer {
    ask("beforeFinish");
    if (view.finish?.open !== true && view.status === "running") take({ type: "finish.requested", ...question });
    return finishAnswer(view);
  }

  function end({ reason: said, error = said === undefined ? unansweredFailure(view) : undefined, summary, classify = options.classify }: EndOptions = {}): boolean {
    ask("end");
    if (view.status === "ended") return false;
    const failure = error === undefined ? undefined : errorToShape(error);
    const reason = givenReason(view, { error, ...(said !== undefined && { reason: said }), ...(classify !== undefined && { classify }) });
    const natural = reason === undefined && view.stopped === undefined && view.status === "running";
    if ((natural || reason === "done") && view.finish?.open !== true) beforeFinish({ canVeto: false });
    const unmet = (view.finish?.unmet.length ?? 0) > 0;
    const why =
      reason === "done" && unmet ? "done_unverified"
      : (reason ?? view.stopped?.reason ?? (view.status === "suspended" ? "suspended" : unmet ? "done_unverified" : "done"));
    return take({
      type: "run.finished",
      reason: why,
      verified: why === "done" && (view.finish?.met.length ?? 0) > 0 && !unmet,
      phase: view.phase,
      outcome: why === "done" || why === "done_unverified" ? "completed" : why === "abandoned" ? "abandoned" : "failed",
      error: failure,
      summary,
    });
  }

  function tick(now: number = clock()): boolean {
    ask("tick");
    const deadline = machine.wakeAt();
    if (deadline === undefined || deadline > now || view.status === "ended") return false;
    take({ type: "clock.ticked", at: now });
    if (view.status === "suspended") end({ reason: "interrupted" });
    return true;
  }

  function command(wanted: object, { by = "user", ...who }: MoveOptions = {}): boolean {
    const { phaseEntry } = view;
    return take({ type: "move.requested", by, ...who, ...wanted }) && phaseEntry !== view.phaseEntry;
  }

  function resume(who: MoveOptions = {}): boolean {
    if (view.status === "suspended") {
      command({ do: "resume" }, who);
      return (view.status as string) === "running";
    }
    // Running without having been resumed is nothing to resume, unless the log was read back.
    if (view.status === "running" && !readBack) return false;
    readBack = false;
    return take({ type: "run.resumed", attempt: view.attempt + 1, policies: plan.parts, changed: changedParts(view.parts, plan.parts), why: who.why });
  }

  function child<const TChild extends string>({ call, ...childOptions }: ChildOptions<TChild> = {}): Run<TChild> {
    const limits: Limits = defined({ tokens: left(view, "tokens"), timeMs: left(view, "timeMs"), cost: left(view, "cost") });
    const { redact, clip, createId, classify, onError } = options;
    const made = assembleRun<TChild>(
      { mode, redact, clip, clock, createId, classify, onError, ...childOptions, parent: { run: id, ...(call !== undefined && { call }) } },
      { inherited: limits },
    ).run;
    take({ type: "child.started", child: made.id, call, task: childOptions.task?.text });
    followChild(made, take);
    if (view.status === "ended" || view.stopped !== undefined) made.stop({ by: "host", reason: "parent_ended" });
    else children.add(made as unknown as Run);
    made.subscribe((step) => {
      if (step[0]?.type === "run.finished") children.delete(made as unknown as Run);
    });
    return made;
  }

  function subscribe(subscriber: Subscriber): () => void {
    subscribers.add(subscriber);
    // Steps still in delivery reach it there.
    for (const step of (backlog ?? []).slice(0, (backlog?.length ?? 0) - deliveries.length)) tell(subscriber, step);
    return () => subscribers.delete(subscriber);
  }

  const run: Run = {
    id,
    mode,
    view: machine.run,
    get outcome() {
      return view.outcome;
    },
    get wakeAt() {
      return machine.wakeAt();
    },
    record: (fact: NewFact) => !isFact(fact, "run.started") && take(fact),
    beforeTurn,
    beforeTool,
    beforeFinish,
    text: streams.push,
    tick,
    end,
    stop: ({ reason, how, ...who } = {}) => {
      take({ type: "move.requested", do: "stop", by: who.by ?? "user", name: who.name, why: who.why, reason, how });
      return view.stopped !== undefined;
    },
    child,
    subscribe,
    transition: (to, { from, message, summary, outcome, reason, predicate, data, ...who } = {}) =>
      command({ do: "transition", to, from, message, summary, outcome, reason, predicate, data }, who),
    skip: (phase, who) => {
      command({ do: "skip", to: phase }, who);
      return view.skipped.has(phase);
    },
    rollback: (to, who) => command({ do: "rollback", to }, who),
    suspend: ({ timeoutMs, ...who } = {}) => {
      if (view.status !== "running") return false;
      command({ do: "suspend", until: timeoutMs === undefined ? undefined : Math.max(view.now, clock()) + timeoutMs }, who);
      return (view.status as string) === "suspended";
    },
    resume,
    waive: (gate, { until, ...who }) => {
      command({ do: "waive", gate, until }, who);
      return view.waivers.has(gate);
    },
  };

  if (stored === undefined) {
    const { event } = read(header);
    if (event === undefined) {
      const [issue] = checkFact(header);
      throw issue === undefined ? invalidOption("redact", "it takes away what a run needs to start") : invalidOption(issue.path, issue.message);
    }
    process(event);
  }
  return { run: run, machine, interpreters };
}

// With the clock, the only default that reaches outside; everything else gets its time and ids passed in.
// eslint-disable-next-line no-restricted-properties -- the default id
const randomId = (): string => `run-${systemClock().toString(36)}-${Math.floor(Math.random() * 0x1_0000_0000).toString(36).padStart(7, "0")}`;
