import { definePhaseGraph } from "../phase-graph.ts";

/**
 * The phases of an agent that finds something out: scoping, gathering, writing, answering. Searching and reading is
 * gathering, a plan is scoping, and whatever it writes down is writing.
 */
export const researchPhases = /* @__PURE__ */ definePhaseGraph({
  name: "research",
  initial: "scoping",
  phases: {
    scoping: {
      purpose: "Settle what is asked, and what would answer it.",
      entry: ["A question arrives", "What was found changes the question"],
      work: ["Take the question apart", "Say which sources count"],
      exit: ["It is clear what to look for"],
      next: ["gathering", "writing", "answering"],
    },
    gathering: {
      purpose: "Find sources and read them.",
      entry: ["It is clear what to look for"],
      work: ["Search", "Read", "Note what a source says, and where"],
      exit: ["New sources say nothing new"],
      next: ["writing", "scoping", "answering"],
    },
    writing: {
      purpose: "Put together what was found.",
      entry: ["There is enough to answer"],
      work: ["Write", "Tie each statement to its source"],
      exit: ["Every part of the question has an answer, or is named as open"],
      next: ["gathering", "scoping", "answering"],
    },
    answering: {
      purpose: "Hand over the answer.",
      entry: ["The text is done"],
      work: ["Say what was found, how sure it is, and what is missing"],
      exit: ["The user asks for more"],
      next: ["scoping", "gathering", "writing"],
      final: true,
    },
  },
  inferred: {
    scoping: ["plan", "ask"],
    gathering: ["search", "read"],
    writing: ["edit"],
    answering: ["finish"],
  },
});
