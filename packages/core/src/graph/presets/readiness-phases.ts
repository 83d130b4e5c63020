import { definePhaseGraph, type PhaseEdge } from "../phase-graph.ts";

// A phase ends with a claim that passed a check, a judge or a person; never by the agent's own word.
const AFTER_A_CLAIM = ["host", "policy", "judge", "user"] satisfies PhaseEdge["by"];

/**
 * The phases that make a piece of work ready for a worker: research, architecture, grooming, ready. The agent claims
 * that a phase is complete and whoever checks the claim moves on; only forward, since a claim that is rejected leaves
 * the work where it is. To leave out a phase, a person or a judge skips it.
 */
export const readinessPhases = /* @__PURE__ */ definePhaseGraph({
  name: "readiness",
  initial: "research",
  phases: {
    research: {
      purpose: "Understand the problem and the code it touches.",
      entry: ["A new piece of work arrives"],
      work: [
        "State the problem",
        "Find the relevant paths through the code",
        "Name constraints, risks and open questions",
        "Recommend a direction",
      ],
      exit: ["The research brief exists, has all its sections and was accepted"],
      agents: ["researcher"],
      next: [{ to: "architecture", by: AFTER_A_CLAIM }],
      data: { artifact: "research_brief" },
    },
    architecture: {
      purpose: "Decide how the problem is solved.",
      entry: ["The research brief was accepted"],
      work: ["Compare designs", "Decide on interfaces and data", "Say what the decision costs"],
      exit: ["The design document exists, has all its sections and was accepted"],
      agents: ["architect"],
      next: [{ to: "grooming", by: AFTER_A_CLAIM }],
      data: { artifact: "design_doc" },
    },
    grooming: {
      purpose: "Turn the design into steps a worker can follow.",
      entry: ["The design document was accepted"],
      work: ["Cut the work into steps", "Say how each step is checked", "Settle what is still open"],
      exit: ["The execution plan exists, has all its sections and was accepted"],
      agents: ["planner"],
      next: [{ to: "ready", by: AFTER_A_CLAIM }],
      data: { artifact: "execution_plan" },
    },
    ready: {
      purpose: "Carry out the execution plan.",
      entry: ["The execution plan was accepted, so a worker can begin immediately"],
      work: ["Follow the execution plan step by step", "Hand in the change for review"],
      exit: ["The change is up for review"],
      agents: ["worker"],
      next: [],
      final: true,
    },
  },
});
