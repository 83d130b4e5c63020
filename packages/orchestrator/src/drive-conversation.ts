import { requestOf } from "./agent-context.ts";
import { chooseRoute, type EndRefusals } from "./choose-route.ts";
import { roundCancelled, roundOpened, wishHeld } from "./conversation-facts.ts";
import { type Desk, isWorking } from "./desk.ts";
import { dispatchRound } from "./dispatch-round.ts";
import { endConversation } from "./end-conversation.ts";
import { movePhase } from "./move-phase.ts";
import { noAttempts } from "./progress-cap.ts";
import { withinTime } from "./within-time.ts";

/** Takes a conversation from round to round until it has to wait for somebody. */
export interface Driver {
  readonly drive: (options: { readonly rounds: number }) => Promise<void>;
}

export function createDriver(desk: Desk): Driver {
  const { run, settings, state, lease } = desk;
  const refusals: EndRefusals = { tries: noAttempts() };
  /** The message that last began a cycle: a strategy is asked once for each. */
  let begun: string | undefined;

  async function drive({ rounds }: { readonly rounds: number }): Promise<void> {
    for (let done = 0; done < rounds; ) {
      if (run.view.status !== "running") return;
      if (!isWorking(desk)) {
        await endConversation(desk, { by: run.view.stopped?.by ?? "router", reason: run.view.stopped?.text ?? "The conversation was ending." });
        return;
      }
      if (!(await holdsLease())) return;
      const { open } = state();
      if (open !== undefined) {
        await dispatchRound(desk, open);
        settle(open.round);
        done += 1;
        continue;
      }
      if (!(await grantWishes())) return;
      if (state().question !== undefined || requestOf(desk) === "") return;
      if (isStale()) continue;
      const beginning = await begin();
      if (beginning === "queued") return;
      if (beginning === "stopped") continue;
      if (!(await openRound())) return;
    }
  }

  /** A round that everybody left open would be dispatched for ever. */
  function settle(round: string): void {
    if (isWorking(desk) && state().open?.round === round) run.record(roundCancelled.record({ round, why: "Nobody is left who could finish it." }));
  }

  /** In an exclusive phase nobody works without the lease: it may have been lost, or another process may have had it. */
  async function holdsLease(): Promise<boolean> {
    if (lease === undefined) return true;
    const { phase } = run.view;
    if (!lease.isExclusive(phase)) {
      if (lease.lease !== undefined) await lease.letGo(phase, "the phase was left");
      return true;
    }
    return lease.lease !== undefined || (await lease.hold(phase)) === undefined;
  }

  /** Carries out what agents wished when they finished: the first wish the graph allows, the rest is stale. */
  async function grantWishes(): Promise<boolean> {
    for (const { agent, id, to, from, message, summary } of [...state().wishes]) {
      if (!isWorking(desk)) return true;
      const spec = desk.agents.get(agent);
      const answer = await movePhase(desk, {
        to, from, actor: "agent", id, name: spec?.title ?? agent,
        reason: summary ?? `${agent} has finished.`,
        ...(message !== undefined && { message }),
        ...(summary !== undefined && { summary }),
      });
      if (answer.ok || answer.why === "refused-move") continue;
      if (answer.why === "queued") return false;
      run.record(wishHeld.record({ agent, to, why: answer.text }));
    }
    return true;
  }

  /** Stops a conversation in which round after round brings nothing new. */
  function isStale(): boolean {
    const { staleRounds, roundsSinceRequest } = state();
    const { withoutProgress, absolute } = settings.roundCaps;
    if (staleRounds < withoutProgress && roundsSinceRequest < absolute) return false;
    const why = staleRounds >= withoutProgress ? `${staleRounds} rounds in a row brought nothing new.` : `There were ${roundsSinceRequest} rounds since the last message.`;
    run.stop({ by: "host", name: "conversation", reason: "aborted_stagnation", why });
    return true;
  }

  /** Lets a strategy choose where a request begins. Somebody may stop the conversation meanwhile, or hold the phase. */
  async function begin(): Promise<"ready" | "stopped" | "queued"> {
    const request = requestOf(desk);
    const { phase } = run.view;
    if (settings.initialPhase === false || phase !== settings.graph.initial || desk.cycle().rounds > 0 || begun === request) return "ready";
    const { initialPhase, graph } = settings;
    const chosen = await withinTime(Promise.resolve().then(() => initialPhase(request, { graph })), settings.routerTimeoutMs, settings.schedule);
    if (!isWorking(desk)) return "stopped";
    if (chosen.how === "value" && chosen.value !== undefined && chosen.value.phase !== run.view.phase) {
      const { phase: to, reason } = chosen.value;
      const { id, name, actor } = settings.routerIdentity;
      const answer = await movePhase(desk, { to, from: phase, actor, id, name, reason, message: request });
      if (!answer.ok && answer.why === "queued") return "queued";
    }
    begun = request;
    return "ready";
  }

  async function openRound(): Promise<boolean> {
    const route = await chooseRoute(desk, refusals);
    switch (route.kind) {
      case "wait":
        return !isWorking(desk) && run.view.status === "running";
      case "stuck":
        run.stop({ by: "host", name: "conversation", reason: "aborted_stagnation", why: route.reason });
        return true;
      case "end":
        await endConversation(desk, { by: route.by, reason: route.reason });
        return true;
      case "round": {
        const { agents, reason, by } = route;
        const { phase, phaseEntry: entry } = run.view;
        const timeoutMs = settings.roundTimeoutMs;
        run.record(roundOpened.record({ round: `round-${state().roundCount + 1}`, agents, phase, entry, reason, by, ...(Number.isFinite(timeoutMs) && { timeoutMs }) }));
        // A round that cannot be opened would be opened for ever.
        if (isWorking(desk) && state().open === undefined) run.stop({ by: "host", name: "conversation", reason: "policy_stop", why: "The log does not take rounds: a policy failed, or a redactor takes too much away." });
        return true;
      }
    }
  }

  return { drive };
}
