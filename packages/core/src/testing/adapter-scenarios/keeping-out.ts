import { definePolicy } from "../../policies/policy.ts";
import { edit, read, type Scenario } from "./scenario.ts";

const usage = { input: 10, output: 2 };
const answers = [
  { calls: [read("a.ts"), edit("b.ts")], usage },
  { text: "Done.", usage },
];

const throwing = definePolicy({
  name: "throwing",
  decide: {
    "turn.started": () => {
      throw new Error("a bug in turn.started");
    },
    "tool.requested": () => {
      throw new Error("a bug in tool.requested");
    },
    "finish.requested": () => {
      throw new Error("a bug in finish.requested");
    },
  },
});

/** Scenarios of what an adapter must not do: change anything for the host when Phasekit fails. */
export const keepingOut: readonly Scenario[] = [
  {
    name: "changes nothing when a policy throws",
    agent: { answers },
    run: { mode: "gate", policies: [throwing] },
    text: "Done.",
  },
  {
    name: "changes nothing when a subscriber throws",
    agent: { answers },
    run: { mode: "gate" },
    prepare: (run) => {
      run.subscribe(() => {
        throw new Error("the disk of the store is full");
      });
    },
    text: "Done.",
  },
];
