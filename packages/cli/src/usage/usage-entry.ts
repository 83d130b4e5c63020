import type { Usage } from "@phasekit/core";

/** One answer of a model, as a log tells it. */
export interface UsageEntry {
  readonly tool: string;
  /** The run or session. */
  readonly session: string;
  /** The repository the agent worked in; absent if the log does not tell it. */
  readonly folder?: string;
  /** Empty if the log does not name it. */
  readonly model: string;
  readonly at: number;
  readonly usage: Usage;
}
