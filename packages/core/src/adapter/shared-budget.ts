import { assertNumbers } from "../text/assert-numbers.ts";
import { LIMIT_REASONS } from "../policies/limits.ts";
import type { RunPort } from "../run/run.ts";
import { type LimitName, spentBudget } from "../view/run-view.ts";

type Amounts = Readonly<Partial<Record<LimitName, number>>>;

/** A budget that several runs spend from. */
export interface SharedBudget {
  readonly name: string;
  /** The rest of a limit; `undefined` without such a limit. */
  readonly remaining: (limit: LimitName) => number | undefined;
  readonly spent: (limit: LimitName) => number;
  /** Calls of the model that `spent` lacks, because their tokens or their price are not known. */
  readonly unknown: (limit: LimitName) => number;
  /** Counts a run from now on, and stops it when the budget is used up. Returns a function that ends the counting. */
  readonly attach: (run: RunPort) => () => void;
  /** Adds to limits; runs that were stopped stay stopped. */
  readonly extend: (amounts: Amounts) => void;
}

const LIMITS = /* @__PURE__ */ Object.keys(LIMIT_REASONS) as readonly LimitName[];
/** The count of calls that a limit cannot see. Turns and time are always known. */
const UNKNOWN: Readonly<Partial<Record<LimitName, "unknownCalls" | "unpricedCalls">>> = {
  tokens: "unknownCalls",
  cost: "unpricedCalls",
};

/** The amounts a run has spent of every limit, and its calls of unknown usage. */
const amountsOf = ({ view }: RunPort): readonly (readonly [key: string, amount: number])[] => [
  ...LIMITS.map((limit) => [limit, spentBudget(view, limit)] as const),
  ...Object.values(UNKNOWN).map((count) => [count, view.usage[count]] as const),
];

/**
 * Creates a named budget for several runs: when it is used up, every attached run is stopped after its current results.
 * Attach top-level runs only; a child's spending is part of its parent's.
 *
 * @example
 * const team = createSharedBudget("team", { tokens: 2_000_000 });
 * for (const run of runs) team.attach(run);
 * @throws INVALID_OPTION if a limit is not a number of at least 0.
 */
export function createSharedBudget(name: string, limits: Amounts): SharedBudget {
  assertNumbers({ ...limits });
  const all = new Map(Object.entries(limits) as [LimitName, number][]);
  const totals = new Map<string, number>();
  const runs = new Set<RunPort>();

  function count(run: RunPort, seen: Map<string, number>): void {
    for (const [key, now] of amountsOf(run)) {
      totals.set(key, (totals.get(key) ?? 0) + now - (seen.get(key) ?? 0));
      seen.set(key, now);
    }
    const over = LIMITS.find((limit) => remaining(limit) === 0);
    if (over !== undefined) for (const attached of [...runs]) stop(attached, over);
  }

  function stop(run: RunPort, limit: LimitName): void {
    if (run.view.status !== "running" || run.view.stopped !== undefined) return;
    run.stop({
      by: "host",
      name: `budget ${name}`,
      reason: LIMIT_REASONS[limit],
      why: `The budget "${name}" is used up.`,
    });
  }

  function remaining(limit: LimitName): number | undefined {
    const most = all.get(limit);
    return most === undefined ? undefined : Math.max(0, most - (totals.get(limit) ?? 0));
  }

  return {
    name,
    remaining,
    spent: (limit) => totals.get(limit) ?? 0,
    unknown: (limit) => totals.get(UNKNOWN[limit] ?? "none") ?? 0,
    attach: (run) => {
      const seen = new Map(amountsOf(run));
      runs.add(run);
      const leave = run.subscribe(() => count(run, seen));
      return () => {
        runs.delete(run);
        leave();
      };
    },
    extend: (amounts) => {
      for (const [limit, more] of Object.entries(amounts) as [LimitName, number][])
        if (more > 0) all.set(limit, (all.get(limit) ?? 0) + more);
    },
  };
}
