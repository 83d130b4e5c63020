import type { PhaseRecord } from "./phase-record.ts";

/** The problem with the cause a record gives. A failed record has a cause; a successful one does not. */
export function causeIssue({
  success,
  reason,
  compile,
  predicateFailure,
}: Pick<PhaseRecord, "success" | "reason" | "compile" | "predicateFailure">): string | undefined {
  if (success) return reason === undefined ? undefined : "an entry that succeeded has no reason to fail";
  return reason === undefined && compile === undefined && predicateFailure === undefined
    ? "a failed entry has a reason, a compile kind or a predicate kind"
    : undefined;
}
