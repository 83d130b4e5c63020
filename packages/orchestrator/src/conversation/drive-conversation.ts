import { defined } from "@phasekit/core/adapter";
import { requestOf } from "../agents/agent-context.ts";
import { chooseRoute, type EndRefusals } from "../rounds/choose-route.ts";
import { roundCancelled, roundOpened, wishHeld } from "./conversation-events.ts";
import { type ConversationRuntime, isWorking } from "./conversation-runtime.ts";
import { dispatchRound } from "../rounds/dispatch-round.ts";
import { endConversation } from "./end-conversation.ts";
import { chooseInitialPhase, noteWrongBeginning } from "../phases/choose-initial-phase.ts";
import { movePhase } from "../phases/move-phase.ts";
import { noAttempts } from "../rounds/progress-cap.ts";

/** Runs rounds until the conversation has to wait or ends. */
export interface Driver {
  readonly drive: (options: { readonly rounds: number }) => Promise<void>;
}

export function createDriver(runtime: ConversationRuntime): Driver {
  const { run, settings, state, lease } = runtime;
  const refusals: EndRefusals = { tries: noAttempts() };
  /** The last request that began a cycle. The strategy is asked once per request. */
  let begun: string | undefined;

  async function drive({ rounds }: { readonly rounds: number }): Promise<void> {
    for (let done = 0; done < rounds;) {
      if (run.view.status !== "running") return;
      if (!isWorking(runtime)) {
        await endConversation(runtime, {
          by: run.view.stopped?.by ?? "router",
          reason: run.view.stopped?.text ?? "The conversation was ending.",
        });
        return;
      }
      if (!(await holdsLease())) return;
      const { open } = state();
      if (open !== undefined) {
        await dispatchRound(runtime, open);
        settle(open.round);
        done += 1;
        continue;
      }
      if (!(await grantWishes())) return;
      if (state().question !== undefined || requestOf(runtime) === "") return;
      if (isStale()) continue;
      const beginning = await begin();
      if (beginning === "queued") return;
      if (beginning === "stopped") continue;
      if (!(await openRound())) return;
    }
  }

  /** Cancels a round that its agents left open; it would be dispatched again without end. */
  function settle(round: string): void {
    if (isWorking(runtime) && state().open?.round === round)
      run.record(roundCancelled.record({ round, why: "No agent is left to finish the round." }));
  }

  /** Acquires the lease of an exclusive phase if needed: it may have been lost or taken by another process. */
  async function holdsLease(): Promise<boolean> {
    if (lease === undefined) return true;
    const { phase } = run.view;
    if (!lease.isExclusive(phase)) {
      const why = run.view.transitions.at(-1)?.reason ?? "the phase was left";
      if (lease.lease !== undefined) await lease.letGo(phase, why);
      return true;
    }
    return lease.lease !== undefined || (await lease.hold(phase)) === undefined;
  }

  /** Applies the first wish of the agents that the graph allows; the rest is stale. */
  async function grantWishes(): Promise<boolean> {
    for (const { agent, id, to, from, message, summary } of [...state().wishes]) {
      if (!isWorking(runtime)) return true;
      const spec = runtime.agents.get(agent);
      const answer = await movePhase(runtime, {
        to,
        from,
        actor: "agent",
        id,
        name: spec?.title ?? agent,
        reason: summary ?? `${agent} has finished.`,
        ...defined({ message, summary }),
      });
      if (answer.ok || answer.why === "refused-move") continue;
      if (answer.why === "queued") return false;
      run.record(wishHeld.record({ agent, to, why: answer.text }));
    }
    return true;
  }

  /** Stops a conversation whose rounds bring nothing new. */
  function isStale(): boolean {
    const { staleRounds, roundsSinceRequest } = state();
    const { withoutProgress, absolute } = settings.roundCaps;
    if (staleRounds < withoutProgress && roundsSinceRequest < absolute) return false;
    const why =
      staleRounds >= withoutProgress
        ? `${staleRounds} rounds in a row brought nothing new.`
        : `There were ${roundsSinceRequest} rounds since the last message.`;
    run.stop({ by: "host", name: "conversation", reason: "aborted_stagnation", why });
    return true;
  }

  /** Lets the strategy choose the phase of a new request. Meanwhile the conversation may stop or have to queue. */
  async function begin(): Promise<"ready" | "stopped" | "queued"> {
    const request = requestOf(runtime);
    const { phase } = run.view;
    if (
      settings.initialPhase === undefined ||
      phase !== settings.graph.initial ||
      runtime.cycle().rounds > 0 ||
      begun === request
    )
      return "ready";
    const chosen = await chooseInitialPhase(runtime, request);
    if (!isWorking(runtime)) return "stopped";
    if (chosen !== undefined && chosen.phase !== run.view.phase) {
      const { phase: to, reason } = chosen;
      const { id, name, actor } = settings.routerIdentity;
      const answer = await movePhase(runtime, { to, from: phase, actor, id, name, reason, message: request });
      if (!answer.ok && answer.why === "queued") return "queued";
      if (!answer.ok) noteWrongBeginning(runtime, answer.text);
    }
    begun = request;
    return "ready";
  }

  async function openRound(): Promise<boolean> {
    const route = await chooseRoute(runtime, refusals);
    switch (route.kind) {
      case "wait":
        return !isWorking(runtime) && run.view.status === "running";
      case "stuck":
        run.stop({ by: "host", name: "conversation", reason: "aborted_stagnation", why: route.reason });
        return true;
      case "end":
        await endConversation(runtime, { by: route.by, reason: route.reason });
        return true;
      case "round": {
        const { agents, reason, by } = route;
        const { phase, phaseEntry: entry } = run.view;
        const timeoutMs = settings.roundTimeoutMs;
        run.record(
          roundOpened.record({
            round: `round-${state().roundCount + 1}`,
            agents,
            phase,
            entry,
            reason,
            by,
            ...(Number.isFinite(timeoutMs) && { timeoutMs }),
          }),
        );
        // Stop: the same round would be opened again without end.
        if (isWorking(runtime) && state().open === undefined)
          run.stop({
            by: "host",
            name: "conversation",
            reason: "policy_stop",
            why: "The round could not be recorded: a policy failed, or `redact` removed required fields.",
          });
        return true;
      }
    }
  }

  return { drive };
}
