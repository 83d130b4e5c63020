import { codingPhases, createRun, definePhaseGraph } from "@phasekit/core";
import { testsFresh } from "./gates/tests-fresh.ts";
import { resultNudges } from "./nudges/result-nudges.ts";
import { phaseBudget } from "./phase-budget.ts";
import { phaseTracker } from "./phase-tracker.ts";
import { saturation } from "./saturation.ts";

const support = definePhaseGraph({
  name: "support",
  initial: "triage",
  phases: { triage: { next: ["answer"] }, answer: { next: [], final: true } },
});

createRun({
  graph: codingPhases,
  policies: [phaseTracker(), saturation(), phaseBudget(), resultNudges(), testsFresh()],
});

// @ts-expect-error -- the coding tracker mentions phases this graph lacks
createRun({ graph: support, policies: [phaseTracker()] });
// @ts-expect-error -- "exploring" is no phase of this graph
createRun({ graph: support, policies: [saturation()] });
// @ts-expect-error -- nor here
createRun({ graph: support, policies: [phaseBudget()] });

createRun({
  graph: support,
  policies: [
    phaseTracker({ signals: { search: "triage", edit: "answer" } }),
    saturation({ phases: ["triage"] }),
    phaseBudget({ exploring: ["triage"], verifying: ["answer"] }),
    resultNudges(),
    testsFresh(),
  ],
});

// @ts-expect-error -- "anwser" is misspelt
createRun({ graph: support, policies: [phaseTracker({ signals: { edit: "anwser" } })] });
// @ts-expect-error -- "triag" is misspelt
createRun({ graph: support, policies: [saturation({ phases: ["triag"] })] });
createRun({
  graph: support,
  policies: [phaseTracker({ signals: ({ meaning }) => (meaning.activity === "edit" ? "answer" : undefined) })],
});
