import { quote } from "@phasekit/core/adapter";
import { requestOf } from "../agents/agent-context.ts";
import {
  conversationEnding,
  lessonLearned,
  routingCorrected,
  type RoutingCorrection,
} from "../conversation/conversation-events.ts";
import { hasReflected, missingReflections } from "../phases/cycle-policy.ts";
import { type ConversationRuntime, isWorking, reportError, whenEvent } from "../conversation/conversation-runtime.ts";
import { renderHistory } from "../conversation/history.ts";
import { handedOver, movePhase } from "../phases/move-phase.ts";
import { type Attempts, countAttempt, mayTryAgain } from "./progress-cap.ts";
import { isEnd, matchName, parseRoutingDecision } from "./routing-decision.ts";
import type { Router, RoutingRequest } from "./router.ts";
import { createSignal } from "../conversation/runtime-defaults.ts";
import { withinTime } from "../within-time.ts";

/** More names would not fit into the event that opens a round. */
const MAX_AGENTS = 64;

/** The next step: a round, the end, or nothing for now. */
export type Route =
  | {
      readonly kind: "round";
      readonly agents: readonly string[];
      readonly reason: string;
      readonly by: "router" | "fallback";
    }
  | { readonly kind: "end"; readonly reason: string; readonly by: "router" | "fallback" }
  | { readonly kind: "wait" }
  | { readonly kind: "stuck"; readonly reason: string };

interface RoutingProblem {
  readonly kind: "wrong";
  readonly why: RoutingCorrection["why"];
  readonly feedback: string;
}

/** Routings that tried to end the conversation in vain, and the progress at that time. */
export interface EndRefusals {
  tries: Attempts;
  /** The turn of the last one: the corrections of one routing are one attempt. */
  turn?: number;
}

/**
 * Asks the router and corrects it if its decision cannot be applied. The fallback decides after the last correction, or
 * if the router fails.
 */
export async function chooseRoute(runtime: ConversationRuntime, refusals: EndRefusals): Promise<Route> {
  const { settings, run } = runtime;
  const { id } = settings.routerIdentity;
  // Every routing records its own turn. Otherwise `beforeTurn` would still belong to the previous round.
  run.record({ type: "turn.started", agent: id });
  const { message } = run.beforeTurn({ agent: id });
  if (!isWorking(runtime)) return { kind: "wait" };
  const { signal, abort } = createSignal();
  let feedback: string | undefined;
  let why: RoutingCorrection["why"] | undefined;
  try {
    for (let attempt = 0; attempt <= settings.corrections && why !== "failed"; attempt += 1) {
      const answer = await ask(runtime, settings.router, requestFor(runtime, { message, feedback, attempt, signal }));
      if (!isWorking(runtime)) return { kind: "wait" };
      const route =
        answer.how === "value"
          ? await carryOut(runtime, answer.value, { by: "router", refusals })
          : failed(runtime, answer.error);
      if (route.kind !== "wrong") return route;
      ({ feedback, why } = route);
      run.record(
        routingCorrected.record({
          why,
          feedback,
          attempt,
          ...(answer.how === "value" && { given: givenText(answer.value) }),
        }),
      );
    }
    if (why === "queued") return { kind: "wait" };
    return await fallBack(runtime, { refusals, signal, feedback, message });
  } finally {
    abort("The routing is over.");
  }
}

async function fallBack(
  runtime: ConversationRuntime,
  { refusals, ...rest }: Pick<RoutingRequest, "signal" | "feedback" | "message"> & { readonly refusals: EndRefusals },
): Promise<Route> {
  const answer = await ask(
    runtime,
    runtime.settings.fallback,
    requestFor(runtime, { ...rest, attempt: runtime.settings.corrections + 1 }),
  );
  if (!isWorking(runtime)) return { kind: "wait" };
  const route =
    answer.how === "value"
      ? await carryOut(runtime, answer.value, { by: "fallback", refusals })
      : failed(runtime, answer.error);
  if (route.kind !== "wrong") return route;
  // No agent can meet the gate: end, and report it as unmet.
  if (route.why === "gate") return { kind: "end", reason: route.feedback, by: "fallback" };
  return route.why === "queued"
    ? { kind: "wait" }
    : { kind: "stuck", reason: `Neither the router nor the fallback found a valid route: ${route.feedback}` };
}

async function ask(
  { run, settings }: ConversationRuntime,
  router: Router,
  request: RoutingRequest,
): Promise<{ readonly how: "value"; readonly value: unknown } | { readonly how: "error"; readonly error: unknown }> {
  // A stopped conversation does not wait for its router.
  const stopped = whenEvent(
    run,
    (event) => event.type === "stop.requested" || event.type === "run.finished" || conversationEnding.is(event),
  );
  const asked = Promise.resolve().then(() => router(request));
  const timed = await withinTime(Promise.race([asked, stopped.promise]), settings.routerTimeoutMs, settings.schedule);
  stopped.cancel();
  return timed.how === "late" ? { how: "error", error: `it took longer than ${settings.routerTimeoutMs} ms` } : timed;
}

function failed(runtime: ConversationRuntime, error: unknown): RoutingProblem {
  reportError(runtime, error);
  return {
    kind: "wrong",
    why: "failed",
    feedback: `The router failed: ${error instanceof Error ? error.message : String(error)}`,
  };
}

/** Checks a decision and moves the phase. Returns the next step, or what is wrong with the decision. */
async function carryOut(
  runtime: ConversationRuntime,
  given: unknown,
  { by, refusals }: { readonly by: "router" | "fallback"; readonly refusals: EndRefusals },
): Promise<Route | RoutingProblem> {
  const { settings, run } = runtime;
  const { decision, issues } = parseRoutingDecision(given);
  if (decision === undefined)
    return {
      kind: "wrong",
      why: "unreadable",
      feedback:
        `The decision is invalid: ${issues.join("; ")}. ` +
        'Answer with {"agents": [...], "phase": "...", "reason": "..."}.',
    };
  const { reason } = decision;
  if (isEnd(decision)) return tryEnd(runtime, { reason, by, refusals });
  const names = [...runtime.agents.keys()];
  const agents = decision.agents.map((agent) => matchName(agent, names));
  const unknown = decision.agents.filter((_agent, index) => agents[index] === undefined);
  if (unknown.length > 0) return unknownAgents(runtime, unknown, names);
  if (agents.length > MAX_AGENTS)
    return { kind: "wrong", why: "unreadable", feedback: `A round has at most ${MAX_AGENTS} agents.` };
  const phases = Object.keys(settings.graph.phases);
  const to = decision.phase === undefined ? run.view.phase : (matchName(decision.phase, phases) ?? decision.phase);
  const able = workers(
    runtime,
    agents.filter((agent) => agent !== undefined),
    to,
  );
  if (able.length === 0)
    return {
      kind: "wrong",
      why: "nobody-left",
      feedback: `Every agent you named has already reflected. ${restOf(runtime)}`,
    };
  const wrong = await move(runtime, { to, reason });
  return wrong ?? { kind: "round", agents: able, reason, by };
}

async function move(
  runtime: ConversationRuntime,
  { to, reason }: { readonly to: string; readonly reason: string },
): Promise<RoutingProblem | undefined> {
  const { run, settings, state } = runtime;
  const { id, name, actor } = settings.routerIdentity;
  const handing = handedOver(runtime);
  if (to === run.view.phase) {
    // Inside one phase, record a move only if there is something to hand over.
    if (state().handOffs.length > 0) run.transition(to, { by: actor, agent: id, name, why: reason, ...handing });
    return undefined;
  }
  const answer = await movePhase(runtime, {
    to,
    from: run.view.phaseEntry,
    actor,
    id,
    name,
    reason,
    message: reason,
    ...handing,
  });
  return answer.ok ? undefined : { kind: "wrong", why: answer.why, feedback: answer.text };
}

function unknownAgents(
  { run, settings, state }: ConversationRuntime,
  unknown: readonly string[],
  names: readonly string[],
): RoutingProblem {
  const wrong = unknown.map((agent) => quote(agent)).join(", ");
  const text = `There is no agent ${wrong}. Use one of: ${names.join(", ")}, or END.`;
  const lesson = `The agents are: ${names.join(", ")}; not ${unknown.join(", ")}.`;
  if (!state().lessons.some((known) => known.text === lesson)) {
    run.record(
      lessonLearned.record({ agent: settings.routerIdentity.id, phase: run.view.phase, text: lesson, from: "routing" }),
    );
  }
  return { kind: "wrong", why: "unknown-agent", feedback: text };
}

/** Leaves out agents that have already reflected, in the reflection phase. */
function workers(runtime: ConversationRuntime, agents: readonly string[], phase: string): readonly string[] {
  const unique = [...new Set(agents)];
  return phase === runtime.settings.reflection
    ? unique.filter((agent) => !hasReflected(runtime.cycle(), agent))
    : unique;
}

function restOf(runtime: ConversationRuntime): string {
  const missing = missingReflections(runtime.cycle());
  return missing.length === 0
    ? "No agent is left to reflect: answer END, or start a new cycle."
    : `Not yet: ${missing.join(", ")}.`;
}

/** Asks the gates. Refuses the end while retries may help; after that the conversation ends unverified. */
function tryEnd(
  runtime: ConversationRuntime,
  {
    reason,
    by,
    refusals,
  }: { readonly reason: string; readonly by: "router" | "fallback"; readonly refusals: EndRefusals },
): Route | RoutingProblem {
  const { run, settings, state } = runtime;
  const answer = run.beforeFinish({ agent: settings.routerIdentity.id, text: reason });
  const unmet = answer.accept
    ? answer.unmet.map(({ text }) => text).join("\n")
    : answer.text.replaceAll(/<\/?phasekit>/g, "").trim();
  const { movingRounds } = state();
  if (unmet === "" || run.view.mode !== "gate") return { kind: "end", reason, by };
  if (refusals.turn !== run.view.turn) {
    const { tries } = refusals;
    // Progress since the last attempt resets the count.
    const since = movingRounds > tries.best ? { ...tries, stalled: 0, best: movingRounds } : tries;
    refusals.tries = countAttempt(since, movingRounds);
    refusals.turn = run.view.turn;
  }
  if (!mayTryAgain(refusals.tries, settings.retryCaps)) return { kind: "end", reason, by };
  return { kind: "wrong", why: "gate", feedback: `The conversation cannot end yet. ${unmet}` };
}

/** Builds the request for a router. */
function requestFor(
  runtime: ConversationRuntime,
  asked: Pick<RoutingRequest, "message" | "feedback" | "attempt" | "signal">,
): RoutingRequest {
  const { run, settings } = runtime;
  const { view } = run;
  const state = runtime.state();
  const cycle = runtime.cycle();
  const { actor } = settings.routerIdentity;
  let history: string | undefined;
  return {
    conversation: run.id,
    graph: settings.graph,
    phase: view.phase,
    entry: view.phaseEntry,
    previousPhase: view.previousPhase,
    request: requestOf(runtime),
    allowed: Object.keys(settings.graph.phases).filter((phase) => view.canMove(phase, actor)),
    owed: owedPhases(runtime),
    agents: settings.agents.map(({ name, description }) => ({ name, description })),
    participants: cycle.participants,
    unreflected: missingReflections(cycle),
    reflection: settings.reflection,
    lastRound: state.rounds.at(-1),
    get history() {
      return (history ??= renderHistory(runtime.state(), settings.history));
    },
    lessons: state.lessons,
    run,
    ...asked,
  };
}

/** Phases owed before the end, including those that become due when the current phase completes. */
function owedPhases({ run: { view }, settings }: ConversationRuntime): readonly string[] {
  const due = (settings.graph.required ?? []).filter(
    ({ after, before, when }) => after === view.phase && before === "end" && when === "completed",
  );
  return [...new Set([...view.owed.filter(({ before }) => before === "end"), ...due].map(({ visit }) => visit))];
}

function givenText(value: unknown): string {
  return typeof value === "string" ? value : quote(value, { max: 500 });
}
