import type { RunPort, TurnAnswer } from "@phasekit/core";
import type { Reviewer } from "@phasekit/core/adapter";

/** Options for `withPhases()`. All optional. */
export interface PhaseOptions {
  /** Models by phase label: a model, or a name for the runner's provider. Other labels keep the agent's model. */
  readonly models?: Readonly<Record<string, unknown>>;
  /** Answers the review questions of policies. The turn waits for the answer. */
  readonly reviewer?: Reviewer;
  /**
   * Shows the model only the tools of the phase, which invalidates the provider's prompt cache. Other calls are refused
   * either way. @default false
   */
  readonly hideTools?: boolean;
  /** @default the system clock */
  readonly clock?: () => number;
}

/** A call of `run()`, passed to the function that returns its run. */
export interface CallContext {
  readonly agent: object;
  readonly input: unknown;
  readonly options: object;
}

/** The members we use of a model provider. */
export interface ModelProvider {
  readonly getModel: (name?: string) => unknown;
}

/** State of one call of `run()`, including the calls that continue it after a veto. */
export interface Invocation {
  readonly run: RunPort;
  readonly options: PhaseOptions;
  readonly clock: () => number;
  /** The runner's own provider. */
  readonly provider: ModelProvider;
  /** The agent the call starts with. */
  readonly startAgent: object;
  /** The agent of the last turn. */
  agent: object;
  /** The agent whose turn it is. A nested agent, which shares the context of the run, is another one. */
  active: object;
  /** The answer for the turn whose model call is due. */
  turn: TurnAnswer | undefined;
  /** Model turns so far: `maxTurns` counts them across vetoes. */
  turns: number;
  /** True after the closing turn. */
  closed: boolean;
  /** True if the run was stopped: the model is not asked again. */
  halted: boolean;
  /** True if an error handler of the caller made the final output. */
  handled: boolean;
}
