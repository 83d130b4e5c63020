import type { RunView } from "@phasekit/core";

/** What is known about an agent that did not finish its part. */
export interface AgentFailure {
  readonly agent: string;
  readonly round: string;
  readonly outcome: "failed" | "timeout";
  readonly error: unknown;
  /** Counts from 1. */
  readonly attempt: number;
  /** Attempts in a row without progress, this one included. */
  readonly stalled: number;
  /** The agent's own run, as far as it came. */
  readonly run: RunView;
}

/** Decides about an agent that failed. The caps bound how often "restart" is heard; a supervisor that throws means "give-up". */
export type Supervisor = (failure: AgentFailure) => "restart" | "give-up" | Promise<"restart" | "give-up">;
