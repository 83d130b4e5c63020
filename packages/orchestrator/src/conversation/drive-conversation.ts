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
import type { ConversationState } from "./conversation-state.ts";
import type { LeaseKeeper } from "../leases/phase-lease.ts";
import type { Run } from "@phasekit/core";
import type { Settings } from "./conversation-options.ts";

/** Runs rounds until the conversation has to wait or ends. */
export interface Driver {
  readonly drive: (options: { readonly rounds: number }) => Promise<void>;
}

export function createDriver(runtime: ConversationRuntime): Driver {
  return new ConversationDriver(runtime);
}

class ConversationDriver implements Driver {
  readonly #runtime: ConversationRuntime;
  readonly #run: Run;
  readonly #settings: Settings;
  readonly #state: () => Readonly<ConversationState>;
  readonly #lease: LeaseKeeper | undefined;
  readonly #refusals: EndRefusals = { tries: noAttempts() };
  /** The last request that began a cycle. The strategy is asked once per request. */
  #begun: string | undefined;

  constructor(runtime: ConversationRuntime) {
    this.#runtime = runtime;
    const { run, settings, state, lease } = runtime;
    this.#run = run;
    this.#settings = settings;
    this.#state = state;
    this.#lease = lease;
  }

  readonly drive = async ({ rounds }: { readonly rounds: number }): Promise<void> => {
    for (let done = 0; done < rounds;) {
      if (this.#run.view.status !== "running") return;
      if (!isWorking(this.#runtime)) {
        await endConversation(this.#runtime, {
          by: this.#run.view.stopped?.by ?? "router",
          reason: this.#run.view.stopped?.text ?? "The conversation was ending.",
        });
        return;
      }
      if (!(await this.#holdsLease())) return;
      const { open } = this.#state();
      if (open !== undefined) {
        await dispatchRound(this.#runtime, open);
        this.#settle(open.round);
        done += 1;
        continue;
      }
      if (!(await this.#grantWishes())) return;
      if (this.#state().question !== undefined || requestOf(this.#runtime) === "") return;
      if (this.#isStale()) continue;
      const beginning = await this.#begin();
      if (beginning === "queued") return;
      if (beginning === "stopped") continue;
      if (!(await this.#openRound())) return;
    }
  };

  /** Cancels a round that its agents left open; it would be dispatched again without end. */
  #settle(round: string): void {
    if (isWorking(this.#runtime) && this.#state().open?.round === round)
      this.#run.record(roundCancelled.record({ round, why: "No agent is left to finish the round." }));
  }

  /** Acquires the lease of an exclusive phase if needed: it may have been lost or taken by another process. */
  async #holdsLease(): Promise<boolean> {
    if (this.#lease === undefined) return true;
    const { phase } = this.#run.view;
    if (!this.#lease.isExclusive(phase)) {
      const why = this.#run.view.transitions.at(-1)?.reason ?? "the phase was left";
      if (this.#lease.lease !== undefined) await this.#lease.letGo(phase, why);
      return true;
    }
    return this.#lease.lease !== undefined || (await this.#lease.hold(phase)) === undefined;
  }

  /** Applies the first wish of the agents that the graph allows; the rest is stale. */
  async #grantWishes(): Promise<boolean> {
    for (const { agent, id, to, from, message, summary } of [...this.#state().wishes]) {
      if (!isWorking(this.#runtime)) return true;
      const spec = this.#runtime.agents.get(agent);
      const answer = await movePhase(this.#runtime, {
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
      this.#run.record(wishHeld.record({ agent, to, why: answer.text }));
    }
    return true;
  }

  /** Stops a conversation whose rounds bring nothing new. */
  #isStale(): boolean {
    const { staleRounds, roundsSinceRequest } = this.#state();
    const { withoutProgress, absolute } = this.#settings.roundCaps;
    if (staleRounds < withoutProgress && roundsSinceRequest < absolute) return false;
    const why =
      staleRounds >= withoutProgress
        ? `${staleRounds} rounds in a row brought nothing new.`
        : `There were ${roundsSinceRequest} rounds since the last message.`;
    this.#run.stop({ by: "host", name: "conversation", reason: "aborted_stagnation", why });
    return true;
  }

  /** Lets the strategy choose the phase of a new request. Meanwhile the conversation may stop or have to queue. */
  async #begin(): Promise<"ready" | "stopped" | "queued"> {
    const request = requestOf(this.#runtime);
    const { phase } = this.#run.view;
    if (
      this.#settings.initialPhase === undefined ||
      phase !== this.#settings.graph.initial ||
      this.#runtime.cycle().rounds > 0 ||
      this.#begun === request
    )
      return "ready";
    const chosen = await chooseInitialPhase(this.#runtime, request);
    if (!isWorking(this.#runtime)) return "stopped";
    if (chosen !== undefined && chosen.phase !== this.#run.view.phase) {
      const { phase: to, reason } = chosen;
      const { id, name, actor } = this.#settings.routerIdentity;
      const answer = await movePhase(this.#runtime, { to, from: phase, actor, id, name, reason, message: request });
      if (!answer.ok && answer.why === "queued") return "queued";
      if (!answer.ok) noteWrongBeginning(this.#runtime, answer.text);
    }
    this.#begun = request;
    return "ready";
  }

  async #openRound(): Promise<boolean> {
    const route = await chooseRoute(this.#runtime, this.#refusals);
    switch (route.kind) {
      case "wait":
        return !isWorking(this.#runtime) && this.#run.view.status === "running";
      case "stuck":
        this.#run.stop({ by: "host", name: "conversation", reason: "aborted_stagnation", why: route.reason });
        return true;
      case "end":
        await endConversation(this.#runtime, { by: route.by, reason: route.reason });
        return true;
      case "round": {
        const { agents, reason, by } = route;
        const { phase, phaseEntry: entry } = this.#run.view;
        const timeoutMs = this.#settings.roundTimeoutMs;
        this.#run.record(
          roundOpened.record({
            round: `round-${this.#state().roundCount + 1}`,
            agents,
            phase,
            entry,
            reason,
            by,
            ...(Number.isFinite(timeoutMs) && { timeoutMs }),
          }),
        );
        // Stop: the same round would be opened again without end.
        if (isWorking(this.#runtime) && this.#state().open === undefined)
          this.#run.stop({
            by: "host",
            name: "conversation",
            reason: "policy_stop",
            why: "The round could not be recorded: a policy failed, or `redact` removed required fields.",
          });
        return true;
      }
    }
  }
}
