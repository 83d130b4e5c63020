import {
  budget,
  type BudgetOptions,
  definePhaseGraph,
  type PhaseGraph,
  type PolicyList,
  type RunOptions,
} from "@phasekit/core";
import { reading } from "@phasekit/reading";
import {
  phaseBudget,
  type PhaseBudgetOptions,
  phaseTracker,
  type PhaseTrackerOptions,
  saturation,
  type SaturationOptions,
} from "@phasekit/tracker";

/** The phases of `phaseTracking()`. */
export type TrackingPhase = "exploring" | "planning" | "acting" | "verifying";

/** Options for `phaseTracking()`: those of a run, and those of each of its policies. All optional. */
export interface PhaseTrackingOptions
  extends Omit<RunOptions<TrackingPhase>, "graph" | "policies">, PhaseTrackerOptions {
  /** Policies in addition. @default none */
  readonly policies?: PolicyList<TrackingPhase>;
  /** When exploring is saturated. @default 10 files, or fewer than 2 new ones in 3 of at least 15 iterations */
  readonly saturation?: SaturationOptions;
  /** Shares of the budget: exploring takes at most 30 %, 20 % is kept for verifying. @default off without `budget` */
  readonly phaseBudget?: PhaseBudgetOptions;
  /** Limits of the whole run. @default none */
  readonly budget?: BudgetOptions;
}

const trackingPhases: PhaseGraph<TrackingPhase> = /* @__PURE__ */ definePhaseGraph({
  name: "tracking",
  initial: "exploring",
  phases: {
    exploring: { purpose: "Read, search, gather context.", next: ["planning", "acting"], final: true },
    planning: { purpose: "Form a plan.", next: ["acting"], final: true },
    acting: { purpose: "Change files.", next: ["verifying"], final: true },
    verifying: { purpose: "Run tests and checks.", next: ["acting"], final: true },
  },
});

/**
 * Options of a run that only follows what a coding agent does, and nudges: four phases, none of which is entered again
 * by reading, saturation of exploring, shares of the budget. It stops and refuses nothing but what `budget` limits.
 *
 * @example
 * const run = createRun(phaseTracking({ budget: { turns: 60 } }));
 * @throws INVALID_OPTION if a number is not in its range.
 */
export function phaseTracking({
  saturation: saturated,
  phaseBudget: shares,
  budget: limits,
  patience,
  failuresBeforeActing = 1,
  policies = [],
  ...options
}: PhaseTrackingOptions = {}): RunOptions<TrackingPhase> {
  return {
    interpret: reading(),
    ...options,
    graph: trackingPhases,
    policies: [
      phaseTracker({ failuresBeforeActing, ...(patience !== undefined && { patience }) }),
      saturation(saturated),
      phaseBudget({ enabled: limits !== undefined || shares !== undefined, ...shares }),
      ...(limits === undefined ? [] : [budget(limits)]),
      ...policies,
    ],
  };
}
