import { definePolicy, type Interpreter, nudge, transition, veto, vouch } from "@phasekit/core";

/** Says what `run_tests` means; the other tools are in core's name table. */
export const testReader: Interpreter = {
  name: "test-reader",
  interpret: ({ tool }, result) => {
    if (tool !== "run_tests") return undefined;
    const { exitCode } = (result?.output ?? {}) as { exitCode?: number };
    const verdict = exitCode === undefined ? "unknown" : exitCode === 0 ? "pass" : "fail";
    return { activity: "test", tests: { verdict } };
  },
};

/** Follows the agent through the phases of coding. */
export const followWork = definePolicy({
  name: "follow-work",
  mentions: ["exploring", "planning", "acting", "verifying"],
  decide: {
    "tool.finished": (run, _state, { meaning, outcome }) => {
      if (meaning.activity === "edit" && outcome === "ok" && run.canMove("acting"))
        return transition("acting", { reason: "an edit landed" });
      if (meaning.activity === "test" && run.isIn("acting"))
        return transition("verifying", { reason: "tests were run" });
      return undefined;
    },
  },
});

/** Nudges once if the agent reads for too long. */
export const startEditing = definePolicy({
  name: "start-editing",
  mentions: ["exploring"],
  decide: {
    "turn.started": (run) =>
      run.isIn("exploring") && run.turnsInPhase > 4
        ? nudge("You have read for four turns. Change the code, or say what you look for.")
        : undefined,
  },
});

interface TestState {
  edited: boolean;
  passed: boolean;
}

/** Objects to a finish after edits without passing tests. */
export const testedFinish = definePolicy({
  name: "tested-finish",
  initial: (): TestState => ({ edited: false, passed: false }),
  observe: {
    "tool.finished": (state, { meaning, outcome }) => {
      if (meaning.activity === "edit" && outcome === "ok") Object.assign(state, { edited: true, passed: false });
      if (meaning.tests !== undefined) state.passed = meaning.tests.verdict === "pass";
    },
  },
  decide: {
    "finish.requested": (_run, { edited, passed }) => {
      if (!edited) return undefined;
      return passed
        ? vouch({ evidence: "tests passed after the last edit" })
        : veto("Nothing shows that the change works. Run the tests.");
    },
  },
});
