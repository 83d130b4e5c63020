import { defineGate, type GateAnswer, type Policy } from "@phasekit/core";
import { agentFinished } from "../conversation/conversation-events.ts";

/** The outcome of the last verification, since the work was last executed. */
interface VerificationState {
  visited: boolean;
  outcome: { readonly passed: boolean; readonly by: "check" | "agent"; readonly who: string } | undefined;
}

/**
 * A gate: the verification phase has an outcome. A check the host reports there proves the work, an agent that says it
 * passed supports it. A visit without an outcome shows nothing.
 */
export function verificationGate({ phase }: { readonly phase: string }): Policy<VerificationState> {
  return defineGate<VerificationState>({
    name: "verification",
    version: "1",
    initial: () => ({ visited: false, outcome: undefined }),
    observe: {
      "phase.transition": (state, { to }, { graph }) => {
        if (to === phase) state.visited = true;
        // New work makes an earlier outcome stale.
        else if ((graph.required ?? []).some(({ after, visit }) => after === to && visit === phase)) {
          state.visited = false;
          state.outcome = undefined;
        }
      },
      "check.finished": (state, { check, outcome }, run) => {
        if (run.phase === phase) state.outcome = { passed: outcome === "success", by: "check", who: check };
      },
      "event.recorded": (state, event, run) => {
        if (run.phase !== phase || !agentFinished.is(event) || event.data.passed === undefined) return;
        const { passed, agent } = event.data;
        // A check says more than an agent.
        if (state.outcome?.by !== "check" || !passed) state.outcome = { passed, by: "agent", who: agent };
      },
    },
    check: (_run, { visited, outcome }): GateAnswer | undefined => {
      if (!visited) return undefined;
      if (outcome === undefined)
        return { verdict: "unavailable", why: `Phase "${phase}" was visited, but it has no outcome.` };
      const { passed, by, who } = outcome;
      if (!passed) return { verdict: "objection", why: `Phase "${phase}" found issues (${who}).` };
      return by === "check"
        ? { verdict: "pass", why: `The check "${who}" passed in phase "${phase}".` }
        : { verdict: "concerns", why: `Agent "${who}" says that the work passed; no check shows it.` };
    },
  });
}
