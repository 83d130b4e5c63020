import { stop, type Stop } from "./decision.ts";
import { definePolicy, type Policy } from "./policy.ts";
import type { StopHow } from "../events/derived-events.ts";
import type { Reason } from "../events/reason-codes.ts";
import { type LimitName, type Limits, remainingBudget, type RunView, spentBudget } from "../view/run-view.ts";

/** The reason a run stops for at each limit. */
export const LIMIT_REASONS: Readonly<Record<LimitName, Reason>> = {
  turns: "turn_limit",
  tokens: "token_limit",
  timeMs: "archive_timeout",
  cost: "cost_limit",
};

/** The limits a run may have, in the order they are checked. */
export const limitNames = Object.keys(LIMIT_REASONS) as readonly LimitName[];

/** True if a share of a limit is used. A turn over the limit is the closing one; the rest is over when it is used. */
export function isOver(run: RunView, limit: LimitName, share = 1): boolean {
  const all = run.limits[limit];
  if (all === undefined) return false;
  return limit === "turns" ? run.turn > all * share : spentBudget(run, limit) >= all * share;
}

/** Stops the run if a limit is reached. */
export function stopAtLimit(
  run: RunView,
  {
    how = "wrap-up",
    closeAt,
    textOf,
    except,
  }: {
    readonly how?: StopHow;
    /** Share of the limit at which to stop. @default 1 */
    readonly closeAt?: number;
    readonly textOf?: (limit: LimitName) => string;
    /** Limits that do not stop the run now. */
    readonly except?: (limit: LimitName) => boolean;
  } = {},
): Stop | undefined {
  const limit = limitNames.find((name) => isOver(run, name, closeAt) && except?.(name) !== true);
  if (limit === undefined) return undefined;
  return stop({ reason: LIMIT_REASONS[limit], how, ...(textOf !== undefined && { text: textOf(limit) }) });
}

/** How much of a limit is spent, and all of it. */
export function chargeOf(run: RunView, limit: LimitName): { readonly spent: number; readonly all: number } {
  return { spent: spentBudget(run, limit), all: run.limits[limit] ?? Infinity };
}

/** The spent share of a limit; 0 without one. */
export function spentShare(run: RunView, limit: LimitName): number {
  const { spent, all } = chargeOf(run, limit);
  return all === 0 ? 1 : spent / all;
}

/** The deadline of the time limit, if there is one. */
export function timeLimitAt(run: RunView): number | undefined {
  const time = remainingBudget(run, "timeMs");
  return time === undefined || time === 0 ? undefined : run.now + time;
}

/** The rest of a parent's budget, for a child without a `budget` of its own: it only stops. */
export function inheritedBudget(limits: Limits): Policy {
  const check = (run: RunView): Stop | undefined => stopAtLimit(run);
  return definePolicy({
    name: "budget",
    limits,
    decide: {
      "turn.started": check,
      "model.answered": check,
      "tool.finished": check,
      "child.progressed": check,
      "clock.ticked": check,
    },
    wakeAt: timeLimitAt,
  });
}
