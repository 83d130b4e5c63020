/** One structured line about what was decided; the host writes it wherever its logs go. */
export interface WorkLogLine {
  /** `info` for what is benign, such as a stale claim; `warn` for what somebody should look into. */
  readonly level: "info" | "warn";
  readonly event: "claim_stale" | "claim_rejected" | "claim_advanced" | "claim_waiting" | "artifact_warning" | "revision_expired" | "item_held" | "judge_failed" | "hook_failed" | "promotion_refused";
  readonly identifier: string;
  readonly phase: string;
  readonly claim_id: string | null;
  readonly reason: string;
  readonly text: string;
  /** On a rejection by a judge. */
  readonly verdict?: { readonly id: string; readonly judge: string; readonly reason: string; readonly fix_instructions: string | null };
}

/** Takes log lines. */
export type WorkLog = (line: WorkLogLine) => void;
