import { definePhaseGraph } from "../phase-graph.ts";

/**
 * The phases of an agent that serves customers: understanding, resolving, answering, and handing over to a person.
 * Looking things up is understanding, an action in the world (`act`) is resolving; say which tool does what with
 * `describeTools`.
 */
export const supportPhases = /* @__PURE__ */ definePhaseGraph({
  name: "support",
  initial: "understanding",
  phases: {
    understanding: {
      purpose: "Find out what the customer needs, and what is true about it.",
      entry: ["A customer writes"],
      work: ["Look up the customer and the order", "Read the rules that apply", "Ask what is unclear"],
      exit: ["It is clear what to do, and that it may be done"],
      next: ["resolving", "answering", "handing-over"],
    },
    resolving: {
      purpose: "Do what solves it.",
      entry: ["It is clear what to do, and that it may be done"],
      work: ["Make the change, the refund or the booking", "Check that it took effect"],
      exit: ["It is done, or it cannot be done here"],
      next: ["answering", "understanding", "handing-over"],
    },
    answering: {
      purpose: "Tell the customer what was done, or the answer.",
      entry: ["Everything that could be done is done"],
      work: ["Write the answer"],
      exit: ["The customer asks something else"],
      next: ["understanding", "resolving", "handing-over"],
      final: true,
    },
    "handing-over": {
      purpose: "Leave it to a person, with everything that is known.",
      entry: ["The rules ask for a person", "The agent cannot do it"],
      work: ["Sum up the case"],
      exit: ["A person takes over"],
      next: ["understanding", "answering"],
      final: true,
      waiting: true,
    },
  },
  inferred: {
    understanding: ["read", "search", "ask"],
    resolving: ["act", "edit"],
    answering: ["finish"],
    "handing-over": ["delegate"],
  },
});
