import { alert, nudge, stop, type Alert, type Nudge, type Stop } from "../decision.ts";
import { invalidOption } from "../errors.ts";
import type { StopHow } from "../facts/derived-facts.ts";
import { definePolicy, type Policy } from "../policy.ts";
import type { Reason } from "../reason-codes.ts";
import { left, type Limits, type RunView, spent } from "../run-view.ts";

export interface BudgetOptions extends Limits {
  /** Share of a limit after which the agent is told once how much is left; 1 turns it off. @default 0.8 */
  readonly soft?: number;
  /** Share of a limit kept for checking the work: with changes unchecked and no more than this left, the agent is told to check. @default 0.2 */
  readonly reserve?: number;
  /** How the run stops at a limit: with one closing turn without tools, after the current results, or at once. @default "wrap-up" */
  readonly how?: StopHow;
}

interface BudgetState {
  /** Something was changed and not tested since. */
  unchecked: boolean;
}

const REASONS: Readonly<Record<keyof Limits, Reason>> = {
  turns: "turn_limit",
  tokens: "token_limit",
  timeMs: "archive_timeout",
  cost: "cost_limit",
};
const LIMITS = Object.keys(REASONS) as readonly (keyof Limits)[];

/**
 * Limits of the whole run: turns, tokens, active time, cost. A limit you write here is carried out in mode `nudge` too.
 * Children spend from it. Tokens a provider does not report are not counted as zero: an alert says so.
 *
 * @example
 * budget({ turns: 60, tokens: 500_000, timeMs: 20 * 60_000 })
 * @throws INVALID_OPTION when a limit is no number.
 */
export function budget({ soft = 0.8, reserve = 0.2, how = "wrap-up", ...limits }: BudgetOptions = {}): Policy<BudgetState> {
  for (const limit of LIMITS) {
    const value: unknown = limits[limit];
    if (value !== undefined && !(typeof value === "number" && value >= 0)) throw invalidOption(limit, `${JSON.stringify(value)} is not a number of at least 0`);
  }
  const exceeded = (run: RunView): Stop | undefined => {
    const limit = LIMITS.find((name) => isOver(run, name));
    return limit === undefined ? undefined : stop({ reason: REASONS[limit], how, text: closing(limit) });
  };
  const unknown = (run: RunView): Alert | undefined =>
    run.limits.tokens !== undefined && run.usage.unknownCalls > 0
      ? alert({ kind: "usage-unknown", severity: "notice", count: run.usage.unknownCalls })
      : undefined;

  return definePolicy({
    name: "budget",
    limits,
    initial: (): BudgetState => ({ unchecked: false }),
    observe: {
      "tool.finished": (state, { meaning, outcome }) => {
        if (meaning.tests !== undefined && meaning.tests.verdict !== "unknown") state.unchecked = false;
        else if (meaning.mutates === true && outcome === "ok") state.unchecked = true;
      },
    },
    decide: {
      "turn.started": (run, { unchecked }) => [exceeded(run), warning(run, { soft, reserve, unchecked })].filter((decision) => decision !== undefined),
      "model.answered": (run) => [exceeded(run), unknown(run)].filter((decision) => decision !== undefined),
      "tool.finished": exceeded,
      "child.progressed": exceeded,
      "clock.ticked": exceeded,
    },
    wakeAt: (run) => {
      const time = left(run, "timeMs");
      return time === undefined || time === 0 ? undefined : run.now + time;
    },
  });
}

/** A turn over the limit is the closing one; everything else is over as soon as it is used up. */
function isOver(run: RunView, limit: keyof Limits): boolean {
  const all = run.limits[limit];
  if (all === undefined) return false;
  return limit === "turns" ? run.turn > all : spent(run, limit) >= all;
}

function warning(run: RunView, { soft, reserve, unchecked }: { readonly soft: number; readonly reserve: number; readonly unchecked: boolean }): Nudge | undefined {
  for (const limit of LIMITS) {
    const all = run.limits[limit];
    if (all === undefined || all === 0 || isOver(run, limit)) continue;
    const used = Math.min(1, spent(run, limit) / all);
    const percent = `${String(Math.round((1 - used) * 100))} %`;
    if (unchecked && 1 - used <= reserve) {
      return nudge(`${percent} of the ${WORDS[limit]} are left and your changes are not checked. Run the tests now; change nothing more before you know.`, { episode: `reserve:${limit}`, topic: "budget", priority: 20 });
    }
    if (used >= soft && soft < 1) {
      return nudge(`${percent} of the ${WORDS[limit]} are left. Finish what matters most, check it, and say what remains.`, { episode: `soft:${limit}`, topic: "budget", priority: 10 });
    }
  }
  return undefined;
}

const WORDS: Readonly<Record<keyof Limits, string>> = { turns: "turns", tokens: "tokens", timeMs: "time", cost: "money" };

function closing(limit: keyof Limits): string {
  return `The limit of ${WORDS[limit]} for this run is reached. Use no more tools. Say what is done, what is not, and what should happen next.`;
}
