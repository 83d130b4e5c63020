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
import { type AgentSignal, createSignal } from "../conversation/runtime-defaults.ts";
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
  place: AgentPlace,
): Promise<AgentAttempt> {
  return await new EngagedAgent(runtime, spec, place).work();
}

interface AgentPlace {
  readonly round: Round;
  readonly attempt: number;
}

type AgentEnd = Omit<AgentOutcome, "round" | "agent" | "child"> & { readonly outcome: CompletionOutcome };

class EngagedAgent {
  readonly #runtime: ConversationRuntime;
  readonly #spec: AgentSpec;
  readonly #place: AgentPlace;
  readonly #run: Run;
  readonly #live: LiveAgent;
  readonly #signal: AgentSignal;
  readonly #stopped: Promise<Stop>;
  readonly #release: () => void;
  #handedIn: AgentResult | undefined;
  #tries: Attempts | undefined;

  constructor(runtime: ConversationRuntime, spec: AgentSpec, place: AgentPlace) {
    this.#runtime = runtime;
    this.#spec = spec;
    this.#place = place;
    const run = startRun(runtime, spec, place);
    this.#run = run;
    this.#live = { agent: spec.name, round: place.round.round, run };
    const { signal, abort } = createSignal();
    this.#signal = signal;
    this.#stopped = new Promise((resolve) => {
      whenStopped(run, (outcome, why) => {
        abort(why);
        resolve({ how: "stop", outcome });
      });
    });
    runtime.live.add(this.#live);
    notifyOfRun(runtime, this.#live);
    this.#release = this.#startTime();
  }

  async work(): Promise<AgentAttempt> {
    let reminder: string | undefined;
    for (;;) {
      const work = this.#call(reminder);
      const first = await Promise.race([settled(work), this.#stopped]);
      if (first.how === "stop") return await this.#giveUp(first.outcome, work);
      if (first.how === "error") return this.#end({ outcome: "failed", error: messageOf(first.error) }, first.error);
      if (this.#run.view.status === "suspended") {
        const woken = await Promise.race([resumed(this.#run), this.#stopped]);
        if (woken !== undefined) return await this.#giveUp(woken.outcome, work);
        reminder = "You were suspended. Continue where you stopped.";
        continue;
      }
      const result = resultOf(first.value, this.#handedIn);
      reminder = this.#whyAgain(result);
      if (reminder === undefined) return this.#end({ outcome: "done", ...partsOf(result) }, undefined);
    }
  }

  #startTime(): () => void {
    const { settings } = this.#runtime;
    const { timeoutMs } = this.#spec;
    const cancelTimeout =
      timeoutMs === undefined
        ? undefined
        : whenActiveFor(this.#run, timeoutMs, {
            ...settings,
            tell: () => stopAgent(this.#live, "timeout", `The agent took longer than ${timeoutMs} ms.`),
          });
    const stopTime = tickAtDeadlines(this.#run, settings);
    return () => {
      cancelTimeout?.();
      stopTime();
    };
  }

  #call(reminder: string | undefined): Promise<unknown> {
    const engagement = {
      ...this.#place,
      run: this.#run,
      signal: this.#signal,
      reminder,
      done: (result: AgentResult) => {
        this.#handedIn = result;
      },
    };
    return Promise.resolve().then(() => this.#spec.work(agentContext(this.#runtime, this.#spec, engagement)));
  }

  /** The reminder for another call of an agent with work left; `undefined` if it is done or may not try again. */
  #whyAgain({ pendingExternal = 0, question }: AgentResult): string | undefined {
    const { todos } = this.#run.view.read(agentTodos) ?? { todos: [] };
    // Progress is measured from what the first attempt settled.
    this.#tries = countAttempt(this.#tries ?? noAttempts(settledCount(todos)), settledCount(todos));
    const verdict = judgeCompletion({ todos, pendingExternal, request: requestOf(this.#runtime) });
    const mayTry = question === undefined && mayTryAgain(this.#tries, this.#runtime.settings.retryCaps);
    return verdict.reengage && mayTry ? verdict.text : undefined;
  }

  /** Waits for the grace time. A later answer is recorded when it arrives, without effect. */
  async #giveUp(outcome: Stop["outcome"], work: Promise<unknown>): Promise<AgentAttempt> {
    const { background, settings } = this.#runtime;
    const last: TimedResult<unknown> = await withinTime(work, settings.graceMs, settings.schedule);
    if (last.how === "late") {
      const late = settled(work).then((timed) => {
        background.delete(late);
        recordFinished(this.#runtime, {
          round: this.#place.round.round,
          agent: this.#spec.name,
          child: this.#run.id,
          ...(timed.how === "value"
            ? { outcome: "done" as const, ...partsOf(resultOf(timed.value, this.#handedIn)) }
            : { outcome: "failed" as const }),
        });
      });
      background.add(late);
    }
    return this.#end(
      { outcome, ...(last.how === "value" && partsOf(resultOf(last.value, this.#handedIn))) },
      last.how === "error" ? last.error : undefined,
    );
  }

  #end(parts: AgentEnd, error: unknown): AgentAttempt {
    this.#release();
    this.#runtime.live.delete(this.#live);
    const run = this.#run;
    if (parts.outcome === "failed") run.end({ error: error ?? parts.error ?? "failed" });
    else run.end(parts.outcome === "timeout" ? { reason: "timeout" } : {});
    const { id, name } = this.#spec;
    return {
      finished: { round: this.#place.round.round, agent: name, ...defined({ id }), child: run.id, ...parts },
      error,
      run,
    };
  }
}

function startRun({ run, settings }: ConversationRuntime, spec: AgentSpec, { round, attempt }: AgentPlace): Run {
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
