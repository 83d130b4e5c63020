import type { AgentSpec } from "./agent.ts";
import { roundClosed } from "./conversation-facts.ts";
import { type Desk, recordFinished, stopAgent, whenEvent } from "./desk.ts";
import { engageAgent, type Engaged } from "./engage-agent.ts";
import { countAttempt, mayTryAgain, noAttempts } from "./progress-cap.ts";
import { missingOf, type Round } from "./round.ts";
import type { AgentFailure } from "./supervisor.ts";

/**
 * Lets the agents of a round work at the same time, as many as may, until the round closes: because all have finished,
 * or because it was closed without them. Those that still work are then told to stop.
 */
export async function dispatchRound(desk: Desk, round: Round): Promise<void> {
  const closed = whenEvent(desk.run, (event) => roundClosed.is(event) && event.data.round === round.round);
  const waiting = [...missingOf(round)];
  const next = (): string | undefined => (isOpen(desk, round) ? waiting.shift() : undefined);
  const worker = async (): Promise<void> => {
    for (let name = next(); name !== undefined; name = next()) await finishAgent(desk, round, name);
  };
  const workers = Promise.all(Array.from({ length: Math.min(desk.settings.parallel, waiting.length) }, worker));
  const settled = workers.then(() => void desk.background.delete(settled), () => void desk.background.delete(settled));
  desk.background.add(settled);
  await Promise.race([settled, closed.promise]);
  closed.cancel();
  const why = desk.state().rounds.findLast(({ round: id }) => id === round.round)?.closed?.why ?? "cancelled";
  for (const agent of [...desk.live]) {
    if (agent.round === round.round) stopAgent(agent, why === "timeout" ? "timeout" : "cancelled", `The round was closed: ${why}.`);
  }
}

function isOpen({ state }: Desk, { round }: Round): boolean {
  return state().open?.round === round;
}

/** Lets one agent do its part; a supervisor may have one that failed start again. */
async function finishAgent(desk: Desk, round: Round, name: string): Promise<void> {
  const spec = desk.agents.get(name);
  if (spec === undefined) {
    // Only a log from before the agents were changed can name one that is not there.
    recordFinished(desk, { round: round.round, agent: name, outcome: "failed", error: "There is no agent of this name any more." });
    return;
  }
  let tries = noAttempts();
  let progress = 0;
  for (let attempt = 1; ; attempt += 1) {
    const engaged = await engaging(desk, spec, { round, attempt });
    if (engaged === undefined) return;
    const { finished, error, run } = engaged;
    const { outcome } = finished;
    if (run.view.lastProgress !== undefined) progress += 1;
    tries = countAttempt(tries, progress);
    const again =
      (outcome === "failed" || outcome === "timeout") && isOpen(desk, round) && mayTryAgain(tries, desk.settings.retryCaps) &&
      (await isRestarted(desk, { agent: name, round: round.round, outcome, error, attempt, stalled: tries.stalled, run: run.view }));
    if (!again) {
      recordFinished(desk, finished);
      // A question that came too late is no longer asked.
      if (finished.question !== undefined && desk.state().question?.text.includes(finished.question) === true) desk.run.record({ type: "question.asked", question: finished.question, agent: name });
      return;
    }
  }
}

/** An agent whose run cannot even be made has failed like any other. */
async function engaging(desk: Desk, spec: AgentSpec, { round, attempt }: { readonly round: Round; readonly attempt: number }): Promise<Engaged | undefined> {
  try {
    return await engageAgent(desk, spec, { round, attempt });
  } catch (error) {
    recordFinished(desk, { round: round.round, agent: spec.name, outcome: "failed", error: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
}

async function isRestarted({ settings, state }: Desk, failure: AgentFailure): Promise<boolean> {
  if (settings.supervisor === undefined) return false;
  try {
    return (await settings.supervisor(failure)) === "restart" && state().open?.round === failure.round;
  } catch {
    return false;
  }
}
