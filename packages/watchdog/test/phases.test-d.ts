import { createRun, definePhaseGraph } from "@phasekit/core";
import { budgetReview, limits, reminders, watchdog } from "../src/index.ts";

const graph = definePhaseGraph({
  initial: "planning",
  phases: { planning: { next: ["coding"] }, coding: { next: [], final: true } },
});

// Phases of the graph, for all policies that name phases, or none at all.
createRun({
  graph,
  policies: [
    watchdog({ waiting: ["coding"] }),
    budgetReview({ turns: { planning: 10 }, window: 10 }),
    reminders({ phases: ["planning"] }),
  ],
});
createRun({
  graph,
  policies: [watchdog(), budgetReview({ turns: 10 }), budgetReview(), reminders({ helpTool: "ask" })],
});
createRun({ policies: [limits(), budgetReview({ window: 10 }), reminders({ everyFailure: true })] });

// @ts-expect-error -- "palnning" is not a phase of this graph
createRun({ graph, policies: [budgetReview({ turns: { palnning: 10 } })] });
// @ts-expect-error -- "planing" is not a phase of this graph
createRun({ graph, policies: [reminders({ phases: ["planing"] })] });
// @ts-expect-error -- "wating" is not a phase of this graph
createRun({ graph, policies: [limits({ waiting: ["wating"] })] });
// @ts-expect-error -- "wating" is not a phase of this graph
createRun({ graph, policies: [watchdog({ waiting: ["wating"] })] });
