import { callWorked } from "../account/call.ts";
import { alert, type Alert, type AnytimeDecision, nudge, type Nudge, review, type Review } from "./decision.ts";
import { assertNames, assertNumbers } from "../text/assert-numbers.ts";
import { defined } from "../text/defined.ts";
import type { StopHow } from "../events/derived-events.ts";
import { definePolicy, type Policy } from "./policy.ts";
import type { LimitName, Limits, RunView } from "../view/run-view.ts";
import {
  type ExtendOptions,
  EXTENSION,
  type ExtensionState,
  mayAsk,
  noExtensions,
  observeExtensions,
  wantedAmount,
} from "./budget-extension.ts";
import { chargeOf, isOver, limitNames, spentShare, stopAtLimit, timeLimitAt } from "./limits.ts";
import { leavePhase, noSpending, overShare, type PhaseSpend } from "./phase-share.ts";

export interface BudgetOptions extends Limits {
  /** Share of a limit after which the agent gets one nudge with the rest; 1 turns it off. @default 0.8 */
  readonly soft?: number;
  /**
   * Share of a limit kept for checking the work: with unchecked changes and less left, the agent gets a nudge.
   * @default 0.2
   */
  readonly reserve?: number;
  /**
   * How the run stops at a limit: with one closing turn, after the current results, or immediately. @default "wrap-up"
   */
  readonly how?: StopHow;
  /** Share of a limit at which the run stops: 0.9 leaves a tenth for the closing turn. @default 1 */
  readonly closeAt?: number;
  /** Ask for more before the run stops or the agent gets a nudge. @default never */
  readonly extend?: ExtendOptions;
}

interface BudgetState extends ExtensionState, PhaseSpend {
  /** Something was changed and not tested since. */
  unchecked: boolean;
}

/**
 * Limits of the whole run: turns, tokens, active time, cost. A limit you write here is carried out in mode `nudge` too.
 * Children spend from it. Tokens or costs a provider does not report are not counted as zero: an alert says so. A phase
 * that uses more than its `share` of a limit gets a nudge.
 *
 * @example
 * budget({ turns: 60, tokens: 500_000, cachedWeight: 0.1, extend: { at: "limit", times: 1 } })
 * @throws INVALID_OPTION if a limit or a share is not a number in its range.
 */
export function budget({
  soft = 0.8,
  reserve = 0.2,
  how = "wrap-up",
  closeAt = 1,
  extend,
  ...limits
}: BudgetOptions = {}): Policy {
  checkOptions({ ...limits }, { soft, reserve, closeAt });
  const asksAtLimit = extend !== undefined && (extend.at ?? "limit") === "limit";

  /** The stop at a limit, unless it can be asked for more: then the next turn asks. */
  const exceeded = (run: RunView, state: Readonly<BudgetState>): readonly AnytimeDecision<never>[] => {
    const stop = stopAtLimit(run, {
      how,
      closeAt,
      textOf: closing,
      except: (limit) => asksAtLimit && mayAsk(state, limit, extend),
    });
    return stop === undefined ? [] : [stop];
  };

  /** Questions for more: what the agent or the host requested, and what the options say. */
  const questions = (run: RunView, state: Readonly<BudgetState>): readonly Review[] =>
    limitNames.flatMap((limit) => {
      const all = run.limits[limit];
      if (all === undefined) return [];
      const isRequested = state.wanted.has(limit) && !state.pending.has(limit);
      const isDue =
        extend !== undefined &&
        mayAsk(state, limit, extend) &&
        (asksAtLimit ? isOver(run, limit, closeAt) : spentShare(run, limit) >= soft);
      if (!isRequested && !isDue) return [];
      const amount = wantedAmount(state, limit, { all, extend });
      return [question(run, limit, { amount, why: state.wanted.get(limit)?.why, asked: state.asked })];
    });

  return definePolicy<BudgetState>({
    name: "budget",
    limits,
    initial: () => ({ unchecked: false, ...noSpending(), ...noExtensions() }),
    observe: {
      ...observeExtensions,
      "tool.finished": (state, event) => {
        const { tests, mutates } = event.meaning;
        if (tests !== undefined && tests.verdict !== "unknown") state.unchecked = false;
        else if (mutates === true && callWorked(event)) state.unchecked = true;
      },
      "phase.transition": (state, { from }, run) => leavePhase(state, from, run),
      "phase.rolled-back": (state, { from }, run) => leavePhase(state, from, run),
    },
    decide: {
      "turn.started": (run, state) => {
        const asked = questions(run, state);
        const warned = asked.length > 0 ? undefined : warning(run, { soft, reserve, state });
        return [
          ...exceeded(run, state),
          ...asked,
          ...(warned === undefined ? [] : [warned]),
          ...(warned === undefined ? shareWarning(run, state) : []),
        ];
      },
      "model.answered": (run, state) => [...exceeded(run, state), ...unknownSpending(run)],
      "tool.finished": exceeded,
      "child.progressed": exceeded,
      "clock.ticked": exceeded,
      "budget.denied": exceeded,
      "review.finished": exceeded,
    },
    wakeAt: timeLimitAt,
  });
}

/** Alerts for tokens and costs that count as nothing, because no provider reports them. */
function unknownSpending({ limits: { tokens, cost }, usage }: RunView): readonly Alert[] {
  return [
    ...(tokens !== undefined && usage.unknownCalls > 0
      ? [alert({ kind: "usage-unknown", severity: "notice", count: usage.unknownCalls })]
      : []),
    ...(cost !== undefined && usage.unpricedCalls > 0
      ? [alert({ kind: "cost-unknown", severity: "notice", count: usage.unpricedCalls })]
      : []),
  ];
}

const LIMITS: readonly string[] = [...limitNames, "cachedWeight", "baseline", "repeatedWeight"];

function checkOptions(limits: Limits, shares: Readonly<Record<string, number>>): void {
  assertNames(limits, LIMITS);
  assertNumbers(defined({ ...limits }));
  assertNumbers(shares, { atMost: 1 });
}

function question(
  run: RunView,
  limit: LimitName,
  { amount, why, asked }: { readonly amount: number; readonly why: string | undefined; readonly asked: number },
): Review {
  const { spent, all } = chargeOf(run, limit);
  return review({
    kind: EXTENSION,
    episode: `extend:${limit}:${String(asked)}`,
    text:
      `The run used ${amountText(limit, spent)} of ${amountText(limit, all)} ` +
      `and wants ${amountText(limit, amount)} more.` +
      (why === undefined ? "" : ` Why: ${why}`),
    data: { limit, amount },
  });
}

function amountText(limit: LimitName, amount: number): string {
  if (limit === "timeMs") return `${String(Math.round(amount / 1000))} s`;
  return limit === "cost"
    ? `cost ${String(Number(amount.toFixed(4)))}`
    : `${String(Math.round(amount))} ${WORDS[limit]}`;
}

function warning(
  run: RunView,
  {
    soft,
    reserve,
    state: { unchecked, grants },
  }: { readonly soft: number; readonly reserve: number; readonly state: Readonly<BudgetState> },
): Nudge | undefined {
  for (const limit of limitNames) {
    const all = run.limits[limit];
    if (all === undefined || all === 0 || isOver(run, limit)) continue;
    const used = Math.min(1, spentShare(run, limit));
    const percent = `${String(Math.round((1 - used) * 100))} %`;
    // After an extension the rest is another one, and may be said again.
    const granted = grants.get(limit);
    const episode = granted === undefined ? limit : `${limit}:${String(granted)}`;
    if (unchecked && 1 - used <= reserve) {
      return nudge(
        `${percent} of the ${WORDS[limit]} are left and your changes are not checked. ` +
          "Run the tests now; change nothing more before you know.",
        { episode: `reserve:${episode}`, topic: "budget", priority: 20 },
      );
    }
    if (used >= soft && soft < 1) {
      return nudge(
        `${percent} of the ${WORDS[limit]} are left. Finish what matters most, check it, and say what remains.`,
        { episode: `soft:${episode}`, topic: "budget", priority: 10 },
      );
    }
  }
  return undefined;
}

function shareWarning(run: RunView, state: Readonly<PhaseSpend>): readonly Nudge[] {
  const over = overShare(run, state);
  return over === undefined
    ? []
    : [
        nudge(
          `The phase has used its share: ${String(Math.round(over.share * 100))} % of the ${WORDS[over.limit]}. ` +
            "Finish it with what you have and move on.",
          { episode: `share:${run.phaseEntry}:${over.limit}`, topic: "budget", priority: 5 },
        ),
      ];
}

const WORDS: Readonly<Record<LimitName, string>> = {
  turns: "turns",
  tokens: "tokens",
  timeMs: "time",
  cost: "money",
};

function closing(limit: LimitName): string {
  return (
    `The limit of ${WORDS[limit]} for this run is reached. Use no more tools. ` +
    "Say what is done, what is not, and what should happen next."
  );
}
