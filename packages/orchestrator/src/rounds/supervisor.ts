import type { RunView } from "@phasekit/core";

/** Input of a supervisor: an agent that failed or timed out. */
export interface AgentFailure {
  readonly agent: string;
  readonly round: string;
  readonly outcome: "failed" | "timeout";
  readonly error: unknown;
  /** Counts from 1. */
  readonly attempt: number;
  /** Attempts in a row without progress, including this one. */
  readonly stalled: number;
  /** View of the agent's own run. */
  readonly run: RunView;
}

/** Decides whether to restart an agent that failed. `retryCaps` limits restarts; an error means "give-up". */
export type Supervisor = (failure: AgentFailure) => "restart" | "give-up" | Promise<"restart" | "give-up">;
