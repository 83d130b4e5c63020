import { quote } from "@phasekit/core";
import { requestOf } from "./agent-context.ts";
import { conversationEnding, lessonLearned, routingCorrected, type RoutingCorrected } from "./conversation-facts.ts";
import { hasReflected, missingReflections } from "./cycle-policy.ts";
import { type Desk, isWorking, whenEvent } from "./desk.ts";
import { renderHistory } from "./history.ts";
import { handedOver, movePhase } from "./move-phase.ts";
import { type Attempts, countAttempt, mayTryAgain } from "./progress-cap.ts";
import { isEnd, matchName, parseRoutingDecision } from "./routing-decision.ts";
import type { Router, RoutingRequest } from "./router.ts";
import { createSignal } from "./system.ts";
import { withinTime } from "./within-time.ts";

/** More would not fit into the fact that opens a round. */
const MAX_AGENTS = 64;

/** What comes next: a round, the end, or nothing for now. */
export type Route =
  | { readonly kind: "round"; readonly agents: readonly string[]; readonly reason: string; readonly by: "router" | "fallback" }
  | { readonly kind: "end"; readonly reason: string; readonly by: "router" | "fallback" }
  | { readonly kind: "wait" }
  | { readonly kind: "stuck"; readonly reason: string };

interface Wrong {
  readonly kind: "wrong";
  readonly why: RoutingCorrected["why"];
  readonly feedback: string;
}

/** How often an end was refused, and how far the work was then. */
export interface EndRefusals {
  tries: Attempts;
}

/**
 * Asks the router, corrects it when its decision cannot be carried out, and after the corrections, or when it fails,
 * lets the fallback decide.
 */
export async function chooseRoute(desk: Desk, refusals: EndRefusals): Promise<Route> {
  const { settings, run } = desk;
  const { id } = settings.routerIdentity;
  // A fact of its own for every routing: asking alone would still be the question of the round before.
  run.record({ type: "turn.started", agent: id });
  const { message } = run.beforeTurn({ agent: id });
  if (!isWorking(desk)) return { kind: "wait" };
  const { signal, abort } = createSignal();
  let feedback: string | undefined;
  let why: RoutingCorrected["why"] | undefined;
  try {
    for (let attempt = 0; attempt <= settings.corrections && why !== "failed"; attempt += 1) {
      const answer = await ask(desk, settings.router, requestFor(desk, { message, feedback, attempt, signal }));
      if (!isWorking(desk)) return { kind: "wait" };
      const route = answer.how === "value" ? await carryOut(desk, answer.value, { by: "router", refusals }) : failed(answer.error);
      if (route.kind !== "wrong") return route;
      ({ feedback, why } = route);
      run.record(routingCorrected.record({ why, feedback, attempt, ...(answer.how === "value" && { given: givenText(answer.value) }) }));
    }
    if (why === "queued") return { kind: "wait" };
    return await fallBack(desk, { refusals, signal, feedback, message });
  } finally {
    abort("The routing is over.");
  }
}

async function fallBack(desk: Desk, { refusals, ...rest }: Pick<RoutingRequest, "signal" | "feedback" | "message"> & { readonly refusals: EndRefusals }): Promise<Route> {
  const answer = await ask(desk, desk.settings.fallback, requestFor(desk, { ...rest, attempt: desk.settings.corrections + 1 }));
  if (!isWorking(desk)) return { kind: "wait" };
  const route = answer.how === "value" ? await carryOut(desk, answer.value, { by: "fallback", refusals }) : failed(answer.error);
  if (route.kind !== "wrong") return route;
  // Nobody is left who could do what a gate asks for: end, and say that it is unmet.
  if (route.why === "gate") return { kind: "end", reason: route.feedback, by: "fallback" };
  return route.why === "queued" ? { kind: "wait" } : { kind: "stuck", reason: `Neither router nor fallback found a way: ${route.feedback}` };
}

async function ask({ run, settings }: Desk, router: Router, request: RoutingRequest): Promise<{ readonly how: "value"; readonly value: unknown } | { readonly how: "error"; readonly error: unknown }> {
  // Nobody waits for a router once the conversation is stopped.
  const stopped = whenEvent(run, (event) => event.type === "stop.requested" || event.type === "run.finished" || conversationEnding.is(event));
  const asked = Promise.resolve().then(() => router(request));
  const timed = await withinTime(Promise.race([asked, stopped.promise]), settings.routerTimeoutMs, settings.schedule);
  stopped.cancel();
  return timed.how === "late" ? { how: "error", error: `it took longer than ${settings.routerTimeoutMs} ms` } : timed;
}

function failed(error: unknown): Wrong {
  return { kind: "wrong", why: "failed", feedback: `The router failed: ${error instanceof Error ? error.message : String(error)}` };
}

/** Carries a decision out as far as it goes: checks it, moves the phase, and says what comes next or what was wrong. */
async function carryOut(desk: Desk, given: unknown, { by, refusals }: { readonly by: "router" | "fallback"; readonly refusals: EndRefusals }): Promise<Route | Wrong> {
  const { settings, run } = desk;
  const { decision, issues } = parseRoutingDecision(given);
  if (decision === undefined) return { kind: "wrong", why: "unreadable", feedback: `The decision cannot be read: ${issues.join("; ")}. Answer with {"agents": [...], "phase": "...", "reason": "..."}.` };
  const { reason } = decision;
  if (isEnd(decision)) return tryEnd(desk, { reason, by, refusals });
  const names = [...desk.agents.keys()];
  const agents = decision.agents.map((agent) => matchName(agent, names));
  const unknown = decision.agents.filter((_agent, index) => agents[index] === undefined);
  if (unknown.length > 0) return unknownAgents(desk, unknown, names);
  if (agents.length > MAX_AGENTS) return { kind: "wrong", why: "unreadable", feedback: `At most ${MAX_AGENTS} agents work in one round.` };
  const phases = Object.keys(settings.graph.phases);
  const to = decision.phase === undefined ? run.view.phase : (matchName(decision.phase, phases) ?? decision.phase);
  const able = workers(desk, agents.filter((agent) => agent !== undefined), to);
  if (able.length === 0) return { kind: "wrong", why: "nobody-left", feedback: `Everybody named has reflected already. ${restOf(desk)}` };
  const wrong = await move(desk, { to, reason });
  return wrong ?? { kind: "round", agents: able, reason, by };
}

async function move(desk: Desk, { to, reason }: { readonly to: string; readonly reason: string }): Promise<Wrong | undefined> {
  const { run, settings, state } = desk;
  const { id, name, actor } = settings.routerIdentity;
  const handing = handedOver(desk);
  if (to === run.view.phase) {
    // Inside one phase there is a record only when there is something to hand over.
    if (state().handing.length > 0) run.transition(to, { by: actor, agent: id, name, why: reason, ...handing });
    return undefined;
  }
  const answer = await movePhase(desk, { to, from: run.view.phaseEntry, actor, id, name, reason, message: reason, ...handing });
  return answer.ok ? undefined : { kind: "wrong", why: answer.why, feedback: answer.text };
}

function unknownAgents({ run, settings, state }: Desk, unknown: readonly string[], names: readonly string[]): Wrong {
  const text = `There is no agent ${unknown.map((agent) => quote(agent)).join(", ")}. Choose among: ${names.join(", ")}, or END.`;
  const lesson = `The agents are: ${names.join(", ")}; not ${unknown.join(", ")}.`;
  if (!state().lessons.some((known) => known.text === lesson)) {
    run.record(lessonLearned.record({ agent: settings.routerIdentity.id, phase: run.view.phase, text: lesson, from: "routing" }));
  }
  return { kind: "wrong", why: "unknown-agent", feedback: text };
}

/** In the reflection phase, those who have reflected already are left out. */
function workers(desk: Desk, agents: readonly string[], phase: string): readonly string[] {
  const unique = [...new Set(agents)];
  return phase === desk.settings.reflection ? unique.filter((agent) => !hasReflected(desk.cycle(), agent)) : unique;
}

function restOf(desk: Desk): string {
  const missing = missingReflections(desk.cycle());
  return missing.length === 0 ? "Nobody is missing: END, or begin anew." : `Still to come: ${missing.join(", ")}.`;
}

/** Asks the gates. What they refuse is refused here as long as it may help, and ends unverified when it no longer does. */
function tryEnd(desk: Desk, { reason, by, refusals }: { readonly reason: string; readonly by: "router" | "fallback"; readonly refusals: EndRefusals }): Route | Wrong {
  const { run, settings, state } = desk;
  const answer = run.beforeFinish({ agent: settings.routerIdentity.id, text: reason });
  const unmet = answer.accept ? answer.unmet.map(({ text }) => text).join("\n") : answer.text.replaceAll(/<\/?phasekit>/g, "").trim();
  const { movingRounds } = state();
  // What moved since the last refusal starts the count anew.
  const tries = movingRounds > refusals.tries.best ? { ...refusals.tries, stalled: 0, best: movingRounds } : refusals.tries;
  if (unmet === "" || run.view.mode !== "gate" || !mayTryAgain(tries, settings.retryCaps)) return { kind: "end", reason, by };
  refusals.tries = countAttempt(tries, movingRounds);
  return { kind: "wrong", why: "gate", feedback: `The conversation cannot end yet. ${unmet}` };
}

/** What a router is told. */
function requestFor(desk: Desk, asked: Pick<RoutingRequest, "message" | "feedback" | "attempt" | "signal">): RoutingRequest {
  const { run, settings } = desk;
  const { view } = run;
  const state = desk.state();
  const cycle = desk.cycle();
  const { actor } = settings.routerIdentity;
  let history: string | undefined;
  return {
    conversation: run.id,
    graph: settings.graph,
    phase: view.phase,
    entry: view.phaseEntry,
    previousPhase: view.previousPhase,
    request: requestOf(desk),
    allowed: Object.keys(settings.graph.phases).filter((phase) => view.canMove(phase, actor)),
    owed: owedPhases(desk),
    agents: settings.agents.map(({ name, description }) => ({ name, description })),
    participants: cycle.participants,
    unreflected: missingReflections(cycle),
    reflection: settings.reflection,
    lastRound: state.rounds.at(-1),
    get history() {
      return (history ??= renderHistory(desk.state(), settings.history));
    },
    lessons: state.lessons,
    run,
    ...asked,
  };
}

/** What is owed before the end, and what completing the present phase will make due. */
function owedPhases({ run: { view }, settings }: Desk): readonly string[] {
  const due = (settings.graph.required ?? []).filter(({ after, before, when }) => after === view.phase && before === "end" && when === "completed");
  return [...new Set([...view.owed.filter(({ before }) => before === "end"), ...due].map(({ visit }) => visit))];
}

function givenText(value: unknown): string {
  return typeof value === "string" ? value : quote(value, { max: 500 });
}
