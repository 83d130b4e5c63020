import type { AgentSpec } from "../agents/agent.ts";
import { roundClosed } from "../conversation/conversation-events.ts";
import {
  type ConversationRuntime,
  recordFinished,
  stopAgent,
  whenEvent,
} from "../conversation/conversation-runtime.ts";
import { engageAgent, type AgentAttempt } from "../agents/engage-agent.ts";
import { countAttempt, mayTryAgain, noAttempts } from "./progress-cap.ts";
import { missingOf, type Round } from "./round.ts";
import type { AgentFailure } from "./supervisor.ts";

/**
 * Runs the agents of a round in parallel until the round closes: because all have finished, or because it was closed
 * without them. Then stops the agents that are still at work.
 */
export async function dispatchRound(runtime: ConversationRuntime, round: Round): Promise<void> {
  const closed = whenEvent(runtime.run, (event) => roundClosed.is(event) && event.data.round === round.round);
  const waiting = [...missingOf(round)];
  const next = (): string | undefined => (isOpen(runtime, round) ? waiting.shift() : undefined);
  const worker = async (): Promise<void> => {
    for (let name = next(); name !== undefined; name = next()) await finishAgent(runtime, round, name);
  };
  const workers = Promise.all(Array.from({ length: Math.min(runtime.settings.parallel, waiting.length) }, worker));
  const settled = workers.then(
    () => void runtime.background.delete(settled),
    () => void runtime.background.delete(settled),
  );
  runtime.background.add(settled);
  await Promise.race([settled, closed.promise]);
  closed.cancel();
  const why = runtime.state().rounds.findLast(({ round: id }) => id === round.round)?.closed?.why ?? "cancelled";
  for (const agent of [...runtime.live]) {
    if (agent.round === round.round)
      stopAgent(agent, why === "timeout" ? "timeout" : "cancelled", `The round was closed: ${why}.`);
  }
}

function isOpen({ state }: ConversationRuntime, { round }: Round): boolean {
  return state().open?.round === round;
}

/** Runs one agent until it finishes. A supervisor may restart an agent that failed. */
async function finishAgent(runtime: ConversationRuntime, round: Round, name: string): Promise<void> {
  const spec = runtime.agents.get(name);
  if (spec === undefined) {
    // A recovered log may name an agent that no longer exists.
    recordFinished(runtime, {
      round: round.round,
      agent: name,
      outcome: "failed",
      error: "The agent no longer exists.",
    });
    return;
  }
  let tries = noAttempts();
  let progress = 0;
  for (let attempt = 1; ; attempt += 1) {
    const engaged = await tryEngage(runtime, spec, { round, attempt });
    if (engaged === undefined) return;
    const { finished, error, run } = engaged;
    const { outcome } = finished;
    if (run.view.lastProgress !== undefined) progress += 1;
    tries = countAttempt(tries, progress);
    const again =
      (outcome === "failed" || outcome === "timeout") &&
      isOpen(runtime, round) &&
      mayTryAgain(tries, runtime.settings.retryCaps) &&
      (await isRestarted(runtime, {
        agent: name,
        round: round.round,
        outcome,
        error,
        attempt,
        stalled: tries.stalled,
        run: run.view,
      }));
    if (!again) {
      recordFinished(runtime, finished);
      // A question that came too late is not asked.
      if (finished.question !== undefined && runtime.state().question?.text.includes(finished.question) === true)
        runtime.run.record({ type: "question.asked", question: finished.question, agent: name });
      return;
    }
  }
}

/** Counts an agent whose run cannot be created as failed. */
async function tryEngage(
  runtime: ConversationRuntime,
  spec: AgentSpec,
  { round, attempt }: { readonly round: Round; readonly attempt: number },
): Promise<AgentAttempt | undefined> {
  try {
    return await engageAgent(runtime, spec, { round, attempt });
  } catch (error) {
    recordFinished(runtime, {
      round: round.round,
      agent: spec.name,
      outcome: "failed",
      error: error instanceof Error ? error.message : String(error),
    });
    return undefined;
  }
}

async function isRestarted({ settings, state }: ConversationRuntime, failure: AgentFailure): Promise<boolean> {
  if (settings.supervisor === undefined) return false;
  try {
    return (await settings.supervisor(failure)) === "restart" && state().open?.round === failure.round;
  } catch {
    return false;
  }
}
