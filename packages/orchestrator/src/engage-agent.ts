import type { PhaseGraph, Run } from "@phasekit/core";
import { phaseSpec } from "@phasekit/core";
import type { AgentResult, AgentSpec } from "./agent.ts";
import { agentContext, requestOf } from "./agent-context.ts";
import { agentTodos, conversationRules, settledCount, todosOfAgent } from "./agent-policies.ts";
import { checkCompletion } from "./completion-gate.ts";
import { whenActiveFor } from "./agent-timeout.ts";
import type { AgentFinished, CompletionOutcome } from "./conversation-facts.ts";
import { type Desk, type LiveAgent, recordFinished, stopAgent, whenEvent } from "./desk.ts";
import { keepTime } from "./keep-time.ts";
import { countAttempt, mayTryAgain, noAttempts } from "./progress-cap.ts";
import type { Round } from "./round.ts";
import { createSignal } from "./system.ts";
import { type Timed, withinTime } from "./within-time.ts";

/** One attempt of an agent: what it came to, and the run it was. */
export interface Engaged {
  readonly finished: AgentFinished;
  readonly error: unknown;
  readonly run: Run;
}

interface Stop {
  readonly how: "stop";
  readonly outcome: "timeout" | "cancelled";
}

/** Lets an agent work once, in a run of its own, until it returns, fails, or is stopped and had its grace. */
export async function engageAgent(desk: Desk, spec: AgentSpec, { round, attempt }: { readonly round: Round; readonly attempt: number }): Promise<Engaged> {
  const { settings } = desk;
  const run = startRun(desk, spec, { round, attempt });
  const live: LiveAgent = { agent: spec.name, round: round.round, run };
  const { signal, abort } = createSignal();
  const stopped = new Promise<Stop>((resolve) => {
    whenStopped(run, (outcome, why) => {
      abort(why);
      resolve({ how: "stop", outcome });
    });
  });
  desk.live.add(live);
  tellOfRun(desk, live);
  const { timeoutMs } = spec;
  const cancelTimeout = timeoutMs === undefined ? undefined : whenActiveFor(run, timeoutMs, { ...settings, tell: () => stopAgent(live, "timeout", `The agent took longer than ${timeoutMs} ms.`) });
  const stopTime = keepTime(run, settings);

  let handedIn: AgentResult | undefined;
  let sentBack = noAttempts();
  let reminder: string | undefined;
  let returned = 0;
  for (;;) {
    const engagement = { round, run, signal, attempt, reminder, done: (result: AgentResult) => { handedIn = result; } };
    const work = Promise.resolve().then(() => spec.work(agentContext(desk, spec, engagement)));
    const first = await Promise.race([settled(work), stopped]);
    if (first.how === "stop") return await giveUp(first.outcome, work);
    if (first.how === "error") return end({ outcome: "failed", error: messageOf(first.error) }, first.error);
    if (run.view.status === "suspended") {
      const woken = await Promise.race([resumed(run), stopped]);
      if (woken !== undefined) return await giveUp(woken.outcome, work);
      reminder = "You were suspended. Go on where you stopped.";
      continue;
    }
    const result = resultOf(first.value, handedIn);
    const { todos } = run.view.read(agentTodos) ?? { todos: [] };
    sentBack = returned === 0 ? noAttempts(settledCount(todos)) : countAttempt(sentBack, settledCount(todos));
    returned += 1;
    const verdict = checkCompletion({ todos, pendingExternal: result.pendingExternal ?? 0, request: requestOf(desk) });
    if (!verdict.reengage || result.question !== undefined || !mayTryAgain(sentBack, settings.retryCaps)) return end({ outcome: "done", ...partsOf(result) }, undefined);
    reminder = verdict.text;
  }

  /** Waits for the grace; what still comes later is recorded when it comes, and changes nothing. */
  async function giveUp(outcome: Stop["outcome"], work: Promise<unknown>): Promise<Engaged> {
    const last: Timed<unknown> = await withinTime(work, settings.graceMs, settings.schedule);
    if (last.how === "late") {
      const late = settled(work).then((timed) => {
        desk.background.delete(late);
        recordFinished(desk, { round: round.round, agent: spec.name, child: run.id, ...(timed.how === "value" ? { outcome: "done" as const, ...partsOf(resultOf(timed.value, handedIn)) } : { outcome: "failed" as const }) });
      });
      desk.background.add(late);
    }
    return end({ outcome, ...(last.how === "value" && partsOf(resultOf(last.value, handedIn))) }, last.how === "error" ? last.error : undefined);
  }

  function end(parts: Omit<AgentFinished, "round" | "agent" | "child"> & { readonly outcome: CompletionOutcome }, error: unknown): Engaged {
    cancelTimeout?.();
    stopTime();
    desk.live.delete(live);
    if (parts.outcome === "failed") run.end({ error: error ?? parts.error ?? "failed" });
    else run.end(parts.outcome === "timeout" ? { reason: "timeout" } : {});
    return { finished: { round: round.round, agent: spec.name, ...(spec.id !== undefined && { id: spec.id }), child: run.id, ...parts }, error, run };
  }
}

function startRun({ run, settings }: Desk, spec: AgentSpec, { round, attempt }: { readonly round: Round; readonly attempt: number }): Run {
  const { phase, round: id, reason } = round;
  const graph: PhaseGraph = spec.graph ?? { name: phase, initial: phase, phases: { [phase]: { next: [], final: true } } };
  const resumed = run.view.attempt > 1 ? `@${run.view.attempt}` : "";
  return run.child<string>({
    id: `${run.id}.${id}.${spec.name}${resumed}${attempt > 1 ? `#${attempt}` : ""}`,
    call: `${id}:${spec.name}`,
    task: { text: reason },
    graph,
    policies: [todosOfAgent(), conversationRules(phase, phaseSpec(settings.graph, phase) ?? { next: [] }), ...(spec.policies ?? [])],
  });
}

/** Whoever listens is told; what they do with it is theirs. */
function tellOfRun({ settings }: Desk, { run, agent, round }: LiveAgent): void {
  try {
    settings.onAgentRun?.(run, { agent, round });
  } catch {
    // A listener that throws must not cost the agent its work.
  }
}

/** A stop that asks for more than the next turn: the agent's signal is raised. */
function whenStopped(run: Run, tell: (outcome: Stop["outcome"], why: string) => void): void {
  run.subscribe((step) => {
    for (const event of step) {
      if (event.type !== "stop.requested" || !event.applied) continue;
      const { reason, how, text = reason } = event;
      if (how === "abort" || reason === "parent_ended" || reason === "cancelled") tell(reason === "timeout" ? "timeout" : "cancelled", text);
    }
  });
}

/** Resolves when a suspended run goes on, or with its end when it does not. */
async function resumed(run: Run): Promise<Stop | undefined> {
  await whenEvent(run, (event) => event.type === "run.finished" || (event.type === "move.requested" && event.do === "resume")).promise;
  return run.view.status === "ended" ? { how: "stop", outcome: "cancelled" } : undefined;
}

function settled<T>(work: Promise<T>): Promise<Exclude<Timed<T>, { readonly how: "late" }>> {
  return work.then((value) => ({ how: "value", value }) as const, (error: unknown) => ({ how: "error", error }) as const);
}

/** What an agent returned, or handed in by its tool, or both. */
function resultOf(returned: unknown, handedIn: AgentResult | undefined): AgentResult {
  if (typeof returned === "string") return { ...handedIn, text: returned };
  if (typeof returned !== "object" || returned === null) return handedIn ?? {};
  return { ...handedIn, ...(returned as AgentResult) };
}

/** Only texts go into the log; whatever else an agent returned stays where it is. */
function partsOf({ text, summary, question, phase }: AgentResult): Pick<AgentFinished, "text" | "summary" | "question" | "wants"> {
  // The longest comes last: a fact that is too long is cut from its end.
  const texts = { wants: phase, question, summary, text };
  return Object.fromEntries(Object.entries(texts).filter(([, value]) => typeof value === "string" && value !== ""));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
