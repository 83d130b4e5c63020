import { deliveryPhases, type PhaseGraph, type PolicyList, type RunOptions } from "@phasekit/core";
import { expectations, reading } from "@phasekit/reading";
import {
  budgetReview,
  type BudgetReviewOptions,
  circuitBreaker,
  type CircuitBreakerOptions,
  escalation,
  type EscalationOptions,
  reminders,
  type RemindersOptions,
  watchdog,
  type WatchdogOptions,
} from "@phasekit/watchdog";

/** The phases of `deliveryPhases`. */
export type DeliveryPhase = keyof (typeof deliveryPhases)["phases"];

/** Options for `antiThrash()`: those of a run, and those of each of its policies. All optional. */
export interface AntiThrashOptions<TPhase extends string = DeliveryPhase> extends Omit<
  RunOptions<TPhase>,
  "graph" | "policies"
> {
  /** The phases. @default deliveryPhases, beginning with its read-only phase `plan` */
  readonly graph?: PhaseGraph<TPhase>;
  /** Policies in addition. @default none */
  readonly policies?: PolicyList<NoInfer<TPhase>>;
  /** Turns a phase entry may take before a review. @default { plan: 10, code: 12 }; of other graphs: maxTurns */
  readonly turns?: Readonly<Partial<Record<NoInfer<TPhase>, number>>>;
  readonly review?: Omit<BudgetReviewOptions<NoInfer<TPhase>>, "turns">;
  readonly reminders?: RemindersOptions<NoInfer<TPhase>>;
  readonly watchdog?: WatchdogOptions<NoInfer<TPhase>>;
  readonly escalation?: EscalationOptions;
  readonly circuitBreaker?: CircuitBreakerOptions;
}

/**
 * Options of a run that does not thrash: each phase says why it is as it is, the first failure in a read-only phase is
 * answered with a reminder, repetition with nudges, a used-up budget with a review that shows what repeats and takes no
 * praise for an answer; a call that keeps failing is refused in mode `gate`, and silence is reported.
 *
 * @example
 * const run = createRun(antiThrash({ task: { text: story } }));
 * const { message } = await answerReview(run, run.beforeTurn(), modelReviewer(askArchitect));
 */
export function antiThrash(options?: AntiThrashOptions): RunOptions<DeliveryPhase>;
export function antiThrash<const TPhase extends string>(
  options: AntiThrashOptions<TPhase> & { readonly graph: PhaseGraph<TPhase> },
): RunOptions<TPhase>;
export function antiThrash(options: AntiThrashOptions<string> = {}): RunOptions {
  const {
    graph = STORY,
    turns = graph === STORY ? TURNS : {},
    policies = [],
    review,
    reminders: reminded,
    watchdog: watched,
    escalation: escalated,
    circuitBreaker: broken,
    ...rest
  } = options;
  return {
    interpret: reading(),
    ...rest,
    graph,
    policies: [
      expectations(),
      watchdog<string>(watched),
      escalation(escalated),
      budgetReview({ ...review, turns: turns as Readonly<Record<string, number>> }),
      reminders<string>(reminded),
      circuitBreaker(broken),
      ...policies,
    ],
  };
}

// The host has prepared the workspace when an agent starts to plan.
const STORY: PhaseGraph = /* @__PURE__ */ Object.assign({}, deliveryPhases, { initial: "plan" });
const TURNS = { plan: 10, code: 12 } satisfies Readonly<Partial<Record<DeliveryPhase, number>>>;
