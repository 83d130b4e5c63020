import type { PhaseGraph, Run } from "@phasekit/core";
import { defined, phaseSpec } from "@phasekit/core/adapter";
import type { AgentResult, AgentSpec } from "./agent.ts";
import { agentContext, requestOf } from "./agent-context.ts";
import { agentTodos, conversationRules, settledCount, todosOfAgent } from "./agent-policies.ts";
import { judgeCompletion } from "../phases/judge-completion.ts";
import { whenActiveFor } from "../when-active-for.ts";
import type { AgentOutcome, CompletionOutcome } from "../conversation/conversation-events.ts";
import {
  type ConversationRuntime,
  type LiveAgent,
  recordFinished,
  stopAgent,
  whenEvent,
} from "../conversation/conversation-runtime.ts";
import { tickAtDeadlines } from "../tick-at-deadlines.ts";
import { type Attempts, countAttempt, mayTryAgain, noAttempts } from "../rounds/progress-cap.ts";
import type { Round } from "../rounds/round.ts";
import { createSignal } from "../conversation/runtime-defaults.ts";
import { type TimedResult, withinTime } from "../within-time.ts";

/** One attempt of an agent: its outcome and its run. */
export interface AgentAttempt {
  readonly finished: AgentOutcome;
  readonly error: unknown;
  readonly run: Run;
}

interface Stop {
  readonly how: "stop";
  readonly outcome: "timeout" | "cancelled";
}

/** Runs an agent once, in its own run, until it returns, fails, or is stopped and its grace time is over. */
export async function engageAgent(
  runtime: ConversationRuntime,
  spec: AgentSpec,
  { round, attempt }: { readonly round: Round; readonly attempt: number },
): Promise<AgentAttempt> {
  const { settings } = runtime;
  const run = startRun(runtime, spec, { round, attempt });
  const live: LiveAgent = { agent: spec.name, round: round.round, run };
  const { signal, abort } = createSignal();
  const stopped = new Promise<Stop>((resolve) => {
    whenStopped(run, (outcome, why) => {
      abort(why);
      resolve({ how: "stop", outcome });
    });
  });
  runtime.live.add(live);
  notifyOfRun(runtime, live);
  const { timeoutMs } = spec;
  const cancelTimeout =
    timeoutMs === undefined
      ? undefined
      : whenActiveFor(run, timeoutMs, {
          ...settings,
          tell: () => stopAgent(live, "timeout", `The agent took longer than ${timeoutMs} ms.`),
        });
  const stopTime = tickAtDeadlines(run, settings);

  let handedIn: AgentResult | undefined;
  let tries: Attempts | undefined;
  let reminder: string | undefined;
  for (;;) {
    const engagement = {
      round,
      run,
      signal,
      attempt,
      reminder,
      done: (result: AgentResult) => {
        handedIn = result;
      },
    };
    const work = Promise.resolve().then(() => spec.work(agentContext(runtime, spec, engagement)));
    const first = await Promise.race([settled(work), stopped]);
    if (first.how === "stop") return await giveUp(first.outcome, work);
    if (first.how === "error") return end({ outcome: "failed", error: messageOf(first.error) }, first.error);
    if (run.view.status === "suspended") {
      const woken = await Promise.race([resumed(run), stopped]);
      if (woken !== undefined) return await giveUp(woken.outcome, work);
      reminder = "You were suspended. Continue where you stopped.";
      continue;
    }
    const result = resultOf(first.value, handedIn);
    const { todos } = run.view.read(agentTodos) ?? { todos: [] };
    // Progress is measured from what the first attempt settled.
    tries = countAttempt(tries ?? noAttempts(settledCount(todos)), settledCount(todos));
    const verdict = judgeCompletion({
      todos,
      pendingExternal: result.pendingExternal ?? 0,
      request: requestOf(runtime),
    });
    if (!verdict.reengage || result.question !== undefined || !mayTryAgain(tries, settings.retryCaps))
      return end({ outcome: "done", ...partsOf(result) }, undefined);
    reminder = verdict.text;
  }

  /** Waits for the grace time. A later answer is recorded when it arrives, without effect. */
  async function giveUp(outcome: Stop["outcome"], work: Promise<unknown>): Promise<AgentAttempt> {
    const last: TimedResult<unknown> = await withinTime(work, settings.graceMs, settings.schedule);
    if (last.how === "late") {
      const late = settled(work).then((timed) => {
        runtime.background.delete(late);
        recordFinished(runtime, {
          round: round.round,
          agent: spec.name,
          child: run.id,
          ...(timed.how === "value"
            ? { outcome: "done" as const, ...partsOf(resultOf(timed.value, handedIn)) }
            : { outcome: "failed" as const }),
        });
      });
      runtime.background.add(late);
    }
    return end(
      { outcome, ...(last.how === "value" && partsOf(resultOf(last.value, handedIn))) },
      last.how === "error" ? last.error : undefined,
    );
  }

  function end(
    parts: Omit<AgentOutcome, "round" | "agent" | "child"> & { readonly outcome: CompletionOutcome },
    error: unknown,
  ): AgentAttempt {
    cancelTimeout?.();
    stopTime();
    runtime.live.delete(live);
    if (parts.outcome === "failed") run.end({ error: error ?? parts.error ?? "failed" });
    else run.end(parts.outcome === "timeout" ? { reason: "timeout" } : {});
    return {
      finished: {
        round: round.round,
        agent: spec.name,
        ...defined({ id: spec.id }),
        child: run.id,
        ...parts,
      },
      error,
      run,
    };
  }
}

function startRun(
  { run, settings }: ConversationRuntime,
  spec: AgentSpec,
  { round, attempt }: { readonly round: Round; readonly attempt: number },
): Run {
  const { phase, round: id, reason } = round;
  const graph: PhaseGraph = spec.graph ?? {
    name: phase,
    initial: phase,
    phases: { [phase]: { next: [], final: true } },
  };
  const resumed = run.view.attempt > 1 ? `@${run.view.attempt}` : "";
  return run.child<string>({
    id: `${run.id}.${id}.${spec.name}${resumed}${attempt > 1 ? `#${attempt}` : ""}`,
    call: `${id}:${spec.name}`,
    task: { text: reason },
    graph,
    policies: [
      todosOfAgent(),
      conversationRules(phase, phaseSpec(settings.graph, phase) ?? { next: [] }),
      ...(spec.policies ?? []),
    ],
  });
}

/** Calls `onAgentRun`. */
function notifyOfRun({ settings }: ConversationRuntime, { run, agent, round }: LiveAgent): void {
  try {
    settings.onAgentRun?.(run, { agent, round });
  } catch {
    // A listener that throws must not stop the agent.
  }
}

/** Calls `tell` on a stop that must not wait for the next turn. */
function whenStopped(run: Run, tell: (outcome: Stop["outcome"], why: string) => void): void {
  run.subscribe((step) => {
    for (const event of step) {
      if (event.type !== "stop.requested" || !event.applied) continue;
      const { reason, how, text = reason } = event;
      if (how === "abort" || reason === "parent_ended" || reason === "cancelled")
        tell(reason === "timeout" ? "timeout" : "cancelled", text);
    }
  });
}

/** Resolves when a suspended run resumes; with a stop if it ends instead. */
async function resumed(run: Run): Promise<Stop | undefined> {
  await whenEvent(
    run,
    (event) => event.type === "run.finished" || (event.type === "move.requested" && event.do === "resume"),
  ).promise;
  return run.view.status === "ended" ? { how: "stop", outcome: "cancelled" } : undefined;
}

function settled<T>(work: Promise<T>): Promise<Exclude<TimedResult<T>, { readonly how: "late" }>> {
  return work.then(
    (value) => ({ how: "value", value }) as const,
    (error: unknown) => ({ how: "error", error }) as const,
  );
}

/** Merges what an agent returned with what it passed to its `complete` tool. */
function resultOf(returned: unknown, handedIn: AgentResult | undefined): AgentResult {
  if (typeof returned === "string") return { ...handedIn, text: returned };
  if (typeof returned !== "object" || returned === null) return handedIn ?? {};
  return { ...handedIn, ...(returned as AgentResult) };
}

/** The texts of a result. Nothing else an agent returns goes into the log. */
function partsOf({
  text,
  summary,
  question,
  phase,
  passed,
}: AgentResult): Pick<AgentOutcome, "text" | "summary" | "question" | "wants" | "passed"> {
  // The longest text is last, because an event that is too long is clipped at its end.
  const texts = { wants: phase, question, summary, text };
  return {
    ...(typeof passed === "boolean" && { passed }),
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => typeof value === "string" && value !== "")),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
