import { expectTypeOf } from "vitest";
import {
  createRun,
  definePhaseGraph,
  definePolicy,
  inPhase,
  nudge,
  type PhaseGraph,
  stallReminder,
  transition,
} from "../index.ts";

// The keys are the names, and nothing else is a source of them.
const delivery = definePhaseGraph({
  name: "delivery",
  initial: "plan",
  phases: {
    plan: { next: ["build", { to: "ship", by: ["user"] }] },
    build: { next: ["plan", "ship"], maxTurns: 8 },
    ship: { next: [], final: true },
  },
  required: [
    { after: "build", visit: "plan", before: "ship" },
    { after: "plan", visit: "build", before: "end" },
  ],
  inferred: { build: ["edit"] },
});
expectTypeOf(delivery).toEqualTypeOf<PhaseGraph<"plan" | "build" | "ship">>();

definePhaseGraph({
  initial: "plan",
  // @ts-expect-error -- "biuld" is not a phase of this graph
  phases: { plan: { next: ["biuld"] }, build: { next: [] } },
});

definePhaseGraph({
  initial: "plan",
  // @ts-expect-error -- "biuld" is not a phase of this graph
  phases: { plan: { next: [{ to: "biuld" }] }, build: { next: [] } },
});

definePhaseGraph({
  // @ts-expect-error -- "plna" is not a phase of this graph
  initial: "plna",
  phases: { plan: { next: ["build"] }, build: { next: [] } },
});

definePhaseGraph({
  initial: "plan",
  phases: { plan: { next: ["build"] }, build: { next: [] } },
  // @ts-expect-error -- "biuld" is not a phase of this graph
  required: [{ after: "biuld", visit: "plan", before: "end" }],
});

definePhaseGraph({
  initial: "plan",
  phases: { plan: { next: ["build"] }, build: { next: [] } },
  // @ts-expect-error -- "biuld" is not a phase of this graph
  inferred: { biuld: ["edit"] },
});

definePhaseGraph({
  initial: "plan",
  // @ts-expect-error -- a phase has no field "maxTurn"
  phases: { plan: { next: ["build"], maxTurn: 3 }, build: { next: [] } },
});

// A graph from a file has any names, so it takes any policy; createRun looks at the names when the run is made.
declare const loaded: PhaseGraph;
const loadedRun = createRun({
  graph: loaded,
  policies: [
    inPhase("whatever", stallReminder()),
    definePolicy({
      name: "mine",
      mentions: ["reviewing"],
      decide: { "turn.started": (run) => (run.isIn("reviewing") ? nudge("Look closely.") : undefined) },
    }),
    { name: "inline", decide: { "tool.finished": () => transition("anywhere") } },
  ],
});
loadedRun.transition("anywhere");
