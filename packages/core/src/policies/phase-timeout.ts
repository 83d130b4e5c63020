import { type AnytimeDecision, emit, nudge, stop } from "./decision.ts";
import { phaseSpec } from "../graph/phase-graph.ts";
import { definePolicy, type Policy } from "./policy.ts";
import { quote } from "../text/quote.ts";
import type { RunView } from "../view/run-view.ts";

interface TimeoutState {
  /** The entry that was already reported. */
  entry: string;
}

/**
 * Records a phase entry that outlives its phase's `timeoutMs`, nudges the agent, and in mode `gate` wraps the run up.
 */
export function phaseTimeout(): Policy {
  const check = (run: RunView, { entry }: Readonly<TimeoutState>): readonly AnytimeDecision<never>[] => {
    const limitMs = limitOf(run);
    if (limitMs === undefined || run.entry.activeMs < limitMs || entry === run.phaseEntry) return [];
    return [
      emit("phase.timed-out", { phase: run.phase, entry: run.phaseEntry, limitMs }),
      stop({
        reason: "phase_timeout",
        how: "wrap-up",
        onlyInGate: true,
        text:
          `The phase ${quote(run.phase)} took longer than it may. ` +
          "Use no more tools; say what is done and what is missing.",
      }),
    ];
  };
  return definePolicy({
    name: "phase-timeout",
    initial: (): TimeoutState => ({ entry: "" }),
    observe: {
      "phase.timed-out": (state, { entry }) => {
        state.entry = entry;
      },
    },
    decide: {
      "clock.ticked": check,
      "tool.finished": check,
      "model.answered": check,
      "turn.started": (run, state) =>
        state.entry === run.phaseEntry
          ? nudge(
              `You have been in the phase ${quote(run.phase)} longer than it should take. ` +
                "Finish it now, or say what blocks you.",
              { priority: 5 },
            )
          : check(run, state),
    },
    wakeAt: (run, { entry }) => {
      const limitMs = limitOf(run);
      return limitMs === undefined || entry === run.phaseEntry
        ? undefined
        : run.now + Math.max(0, limitMs - run.entry.activeMs);
    },
  });
}

function limitOf({ graph, phase }: RunView): number | undefined {
  return phaseSpec(graph, phase)?.timeoutMs;
}
