import { phaseSpec } from "../graph/phase-graph.ts";
import { type LimitName, type RunView, spentBudget } from "../view/run-view.ts";
import { limitNames } from "./limits.ts";

/** Spending by limit, as the limits count it. */
type Amounts = Readonly<Record<LimitName, number>>;

/** Spending of the phases, over their entries. */
export interface PhaseSpend {
  /** Spending of the run when the present entry began. */
  atEntry: Amounts;
  /** Spending by phase, without the present entry. */
  readonly phases: Map<string, Amounts>;
}

const NOTHING: Amounts = { turns: 0, tokens: 0, timeMs: 0, cost: 0 };

/** Spending before the first entry. */
export const noSpending = (): PhaseSpend => ({ atEntry: NOTHING, phases: new Map() });

/** Adds the entry that was left. */
export function leavePhase(state: PhaseSpend, phase: string, run: RunView): void {
  state.phases.set(phase, spentIn(state, phase, run));
  state.atEntry = byLimit((limit) => spentBudget(run, limit));
}

/** The limit of which the present phase has used more than its `share`. */
export function overShare(
  run: RunView,
  state: Readonly<PhaseSpend>,
): { readonly limit: LimitName; readonly share: number } | undefined {
  const share = phaseSpec(run.graph, run.phase)?.share;
  if (share === undefined) return undefined;
  const spent = spentIn(state, run.phase, run);
  const limit = limitNames.find((name) => spent[name] > share * (run.limits[name] ?? Infinity));
  return limit === undefined ? undefined : { limit, share };
}

function spentIn({ atEntry, phases }: Readonly<PhaseSpend>, phase: string, run: RunView): Amounts {
  const before = phases.get(phase) ?? NOTHING;
  return byLimit((limit) => before[limit] + spentBudget(run, limit) - atEntry[limit]);
}

function byLimit(spent: (limit: LimitName) => number): Amounts {
  return { turns: spent("turns"), tokens: spent("tokens"), timeMs: spent("timeMs"), cost: spent("cost") };
}
