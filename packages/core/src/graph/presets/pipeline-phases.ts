import { definePhaseGraph } from "../phase-graph.ts";

/**
 * The phases of a pipeline that generates a whole backend: analyze, database, interface, test, realize. Under `data`
 * are the kinds of things each phase produces (`commodity`) and whether a compiler decides its success (`checks`).
 * Realize succeeds in two tiers: with any usable function, or only with all of them and a clean compilation.
 */
export const pipelinePhases = /* @__PURE__ */ definePhaseGraph({
  name: "pipeline",
  initial: "analyze",
  phases: {
    analyze: {
      purpose: "Turn what is wanted into requirements.",
      entry: ["A description of the application is given"],
      work: ["Find out who uses it", "Write the requirements as documents"],
      exit: ["Actors and documents are written"],
      next: ["database"],
      data: { commodity: ["actors", "documents"], checks: [] },
    },
    database: {
      purpose: "Design what is stored.",
      entry: ["The requirements are written"],
      work: ["Group the data into namespaces", "Design the models"],
      exit: ["The schema compiles"],
      next: ["interface"],
      data: { commodity: ["namespaces", "models"], checks: ["compile"] },
    },
    interface: {
      purpose: "Design what can be called.",
      entry: ["The schema compiles"],
      work: ["Define the operations", "Define the schemas of their inputs and outputs"],
      exit: ["The interface compiles and every operation has its method and path"],
      next: ["test"],
      data: { commodity: ["operations", "schemas"], checks: ["compile"] },
    },
    test: {
      purpose: "Write the tests the application must pass.",
      entry: ["The interface compiles"],
      work: ["Write test functions for the operations"],
      exit: ["The tests compile"],
      next: ["realize"],
      data: { commodity: ["functions"], checks: ["compile"] },
    },
    realize: {
      purpose: "Implement the operations.",
      entry: ["The tests compile"],
      work: ["Write a function for each operation", "Correct what does not compile"],
      exit: ["Every operation has its function and all of it compiles"],
      next: [],
      partial: true,
      final: true,
      data: { commodity: ["functions"], checks: ["compile"] },
    },
  },
});
