/** A structured log line about a decision. The host writes it to its own log. */
export interface WorkLogLine {
  /** `info` for routine lines, such as a stale claim; `warn` for problems. */
  readonly level: "info" | "warn";
  readonly event:
    | "claim_stale"
    | "claim_rejected"
    | "claim_advanced"
    | "claim_waiting"
    | "artifact_warning"
    | "revision_expired"
    | "item_held"
    | "judge_failed"
    | "hook_failed"
    | "promotion_refused";
  readonly identifier: string;
  readonly phase: string;
  readonly claim_id: string | null;
  /** The reason, for programs. */
  readonly code: string;
  readonly text: string;
  /** On a rejection by a judge. */
  readonly verdict?: {
    readonly id: string;
    readonly judge: string;
    readonly reason: string;
    readonly fix_instructions: string | null;
  };
}

/** Receives log lines. */
export type WorkLog = (line: WorkLogLine) => void;
