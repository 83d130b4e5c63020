import {
  definePolicy,
  type LimitName,
  type Limits,
  nudge,
  type Nudge,
  type Policy,
  type RunView,
} from "@phasekit/core";
import { assertNumbers } from "@phasekit/core/adapter";
import { type OwnWork, ownWork, workOf } from "./own-work.ts";

/** What a phase budget is measured in. */
export type BudgetUnit = Exclude<LimitName, "cost">;

/** What is known when a share is used up, in percent of the whole. */
export interface PhaseBudgetFacts {
  readonly percent: number;
  readonly unit: BudgetUnit;
}

export interface PhaseBudgetOptions<TPhase extends string = "exploring" | "verifying"> {
  /** True if it speaks at all. @default false */
  readonly enabled?: boolean;
  /** Share of the budget that may go into exploring before the first edit. @default 30 */
  readonly maxExplorationPercent?: number;
  /** Share of the budget that is kept for verifying. @default 20 */
  readonly reservedVerificationPercent?: number;
  /** The whole. @default the run's limits, see core's `budget` */
  readonly of?: Pick<Limits, BudgetUnit>;
  /** @default ["exploring"] */
  readonly exploring?: readonly TPhase[];
  /** @default ["verifying"] */
  readonly verifying?: readonly TPhase[];
  readonly explorationText?: (facts: PhaseBudgetFacts) => string;
  readonly verificationText?: (facts: PhaseBudgetFacts) => string;
}

interface Spent extends Readonly<Record<BudgetUnit, number>> {
  readonly turns: number;
}

interface PhaseBudgetState extends OwnWork {
  /** What earlier stays in exploring took. */
  explored: Spent;
}

const UNITS: readonly BudgetUnit[] = ["turns", "tokens", "timeMs"];

/**
 * Keeps exploring from eating the budget, and a part of it for verifying: against turns, tokens or time. Its messages
 * are stronger than those of `saturation` and win over them.
 *
 * @example
 * policies: [budget({ turns: 60 }), phaseTracker(), saturation(), phaseBudget({ enabled: true })]
 * @throws INVALID_OPTION if a share is not between 0 and 100.
 */
export function phaseBudget(options?: PhaseBudgetOptions): Policy<unknown, "exploring" | "verifying">;
export function phaseBudget<const TPhase extends string>(
  options: PhaseBudgetOptions<TPhase> & {
    readonly exploring: readonly TPhase[];
    readonly verifying: readonly TPhase[];
  },
): Policy<unknown, TPhase>;
export function phaseBudget({
  enabled = false,
  maxExplorationPercent = 30,
  reservedVerificationPercent = 20,
  of,
  exploring = ["exploring"],
  verifying = ["verifying"],
  explorationText = defaultExplorationText,
  verificationText = defaultVerificationText,
}: PhaseBudgetOptions<string> = {}): Policy {
  assertNumbers({ maxExplorationPercent, reservedVerificationPercent }, { atMost: 100 });
  const own = ownWork();

  const tooMuchExploring = (run: RunView<string>, state: Readonly<PhaseBudgetState>): Nudge | undefined => {
    const { edits, expectsEdits } = workOf(run, state);
    // A question or a review is answered by exploring.
    if (!run.isIn(...exploring) || edits > 0 || !expectsEdits) return undefined;
    const entry = spentInEntry(run);
    for (const [unit, all] of wholes(of ?? run.limits)) {
      const percent = Math.floor(((state.explored[unit] + entry[unit]) * 100) / all);
      if (percent > maxExplorationPercent)
        return nudge(explorationText({ percent, unit }), { topic: "exploration", priority: 30 });
    }
    return undefined;
  };

  const reserveReached = (run: RunView<string>, state: Readonly<PhaseBudgetState>): Nudge | undefined => {
    const work = workOf(run, state);
    if (run.isIn(...verifying) || work.edits === 0 || work.testsRun > 0) return undefined;
    const spent = spentInAll(run);
    for (const [unit, all] of wholes(of ?? run.limits)) {
      const percent = Math.max(0, 100 - Math.floor((spent[unit] * 100) / all));
      if (percent <= reservedVerificationPercent)
        return nudge(verificationText({ percent, unit }), {
          topic: "budget",
          priority: 30,
          episode: "verification-reserve",
        });
    }
    return undefined;
  };

  return definePolicy<PhaseBudgetState, string>({
    name: "phase-budget",
    version: "1",
    needs: ({ limits }) =>
      enabled && wholes(of ?? limits).length === 0
        ? "the run has no limit; add `budget({ turns })`, or say with `of` what is shared out"
        : undefined,
    mentions: [...exploring, ...verifying],
    initial: () => ({ ...own.initial(), explored: { turns: 0, tokens: 0, timeMs: 0 } }),
    observe: {
      ...own.observe,
      "phase.transition": (state, event, run) => {
        own.observe["phase.transition"]?.(state, event, run);
        if (!exploring.includes(event.from)) return;
        const { turns, inputTokens, outputTokens, activeMs } = event.metrics;
        state.explored = {
          turns: state.explored.turns + turns,
          tokens: state.explored.tokens + inputTokens + outputTokens,
          timeMs: state.explored.timeMs + activeMs,
        };
      },
    },
    decide: {
      "turn.started": (run, state) =>
        enabled ? (reserveReached(run, state) ?? tooMuchExploring(run, state)) : undefined,
    },
    // The overloads say which phases it mentions.
  }) as Policy<PhaseBudgetState>;
}

/** The limits there are; of nothing there is no share. */
function wholes(limits: Limits): readonly (readonly [unit: BudgetUnit, all: number])[] {
  return UNITS.flatMap((unit) => {
    const { [unit]: all = 0 } = limits;
    return all > 0 ? [[unit, all] as const] : [];
  });
}

/** The turn that is about to start has not been spent yet. */
function spentInAll({ turn, usage, activeMs }: RunView<string>): Spent {
  return { turns: turn - 1, tokens: usage.inputTokens + usage.outputTokens, timeMs: activeMs };
}

function spentInEntry({ entry }: RunView<string>): Spent {
  return { turns: entry.turns - 1, tokens: entry.inputTokens + entry.outputTokens, timeMs: entry.activeMs };
}

const WORDS: Readonly<Record<BudgetUnit, string>> = { turns: "turns", tokens: "tokens", timeMs: "time" };

function defaultExplorationText({ percent, unit }: PhaseBudgetFacts): string {
  return `${String(percent)} % of your ${WORDS[unit]} went into looking around. Begin with the edits now, and open no more files: what you already know has to do for the fix.`;
}

function defaultVerificationText({ percent, unit }: PhaseBudgetFacts): string {
  return `Only ${String(percent)} % of your ${WORDS[unit]} are left. Run the tests now to check what you have changed, and change nothing more until you know whether it works.`;
}
