import type { RunPort, TurnAnswer } from "@phasekit/core";
import type { Reviewer } from "@phasekit/core/adapter";

/** Options for `withPhases()`. All optional. */
export interface PhaseOptions {
  /** Models by phase label, as an agent takes them. A label without an entry keeps the agent's model. */
  readonly models?: Readonly<Record<string, unknown>>;
  /** Answers the review questions of policies. The step waits for the answer. */
  readonly reviewer?: Reviewer;
  /**
   * Shows the model only the tools of the phase, which invalidates the provider's prompt cache. Other calls are refused
   * either way. @default false
   */
  readonly hideTools?: boolean;
  /** @default the system clock */
  readonly clock?: () => number;
}

/** A call of `generate()` or `stream()`, passed to the function that returns its run. */
export interface CallContext {
  readonly messages: unknown;
  readonly options: object;
}

/** State of one call. */
export interface Invocation {
  readonly run: RunPort;
  readonly options: PhaseOptions;
  readonly clock: () => number;
  /** The answer for the turn whose model call is due. */
  turn: TurnAnswer | undefined;
  /** True if the answer of this turn is recorded. */
  answered: boolean;
  /** The time of the model call. */
  asked: number;
  model: string | undefined;
  /** The reasoning of the answer so far. */
  reasoning: string;
  /** The run's objection to a finish, for the next request. */
  objection: string | undefined;
  /** True after the closing turn. */
  closed: boolean;
}
