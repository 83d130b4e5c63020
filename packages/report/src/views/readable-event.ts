import type { Reason, RunEvent } from "@phasekit/core";
import { isObject, isReason, tableOf, toObject } from "@phasekit/core/adapter";

/** Members that the views expect to be strings. */
const TEXTS: Readonly<Record<string, readonly string[]>> = tableOf({
  "run.started": ["run", "phase", "mode"],
  "phase.transition": ["from", "to"],
  "phase.rolled-back": ["from", "to"],
  "tool.requested": ["tool"],
  "tool.finished": ["tool", "outcome"],
  "tool.refused": ["tool", "text", "by"],
  "model.failed": ["message"],
  "phase.skipped": ["phase", "why"],
  "phase.refused": ["text"],
  "alert.raised": ["by", "kind", "signature"],
  "alert.cleared": ["by", "kind", "signature"],
  "nudge.sent": ["nudge", "by", "text"],
  "finish.vetoed": ["gate", "text"],
  "finish.vouched": ["gate", "verdict"],
  "review.requested": ["review", "kind", "text"],
  "review.finished": ["review", "verdict"],
  "verdict.given": ["verdict"],
  "claim.submitted": ["claim"],
  "stop.requested": ["reason", "how"],
  "policy.failed": ["policy", "message"],
  "check.finished": ["check", "outcome"],
  "child.started": ["child"],
  "child.finished": ["child", "reason"],
  "question.asked": ["question"],
});
const SEVERITIES: readonly unknown[] = ["notice", "warning", "critical"];

/**
 * Returns an event that the views can show, even if the log is of a later version or made up. An unknown reason becomes
 * `unknown`, an unknown severity `warning`, a missing text an empty one. Valid events stay unchanged.
 */
export function readableEvent(event: RunEvent): RunEvent {
  const members = toObject(event);
  const fixed: Record<string, unknown> = {};
  const type = typeof members["type"] === "string" ? members["type"] : "unknown.event";
  if (type !== members["type"]) fixed["type"] = type;
  for (const name of ["seq", "at"] as const) if (!Number.isFinite(members[name])) fixed[name] = 0;
  // own key: the names are those of TEXTS.
  for (const name of TEXTS[type] ?? []) if (typeof members[name] !== "string") fixed[name] = wordOf(members[name]);
  if (type === "run.finished" && !isReason(members["reason"])) fixed["reason"] = "unknown" satisfies Reason;
  if (type === "run.finished" && members["error"] !== undefined) {
    const error = toObject(members["error"]);
    if (typeof error["message"] !== "string") fixed["error"] = { ...error, message: "" };
  }
  if ((type === "tool.requested" || type === "tool.finished") && !isObject(members["meaning"])) fixed["meaning"] = {};
  if (type === "alert.raised") {
    if (!SEVERITIES.includes(members["severity"])) fixed["severity"] = "warning";
    if (!Number.isFinite(members["count"])) fixed["count"] = 1;
  }
  if (type === "event.rejected" && !Array.isArray(members["issues"])) fixed["issues"] = [];
  return Object.keys(fixed).length === 0 ? event : ({ ...members, ...fixed } as unknown as RunEvent);
}

/** Returns the reason of a run if this version does not know it. */
export function unknownReason(events: readonly RunEvent[]): string | undefined {
  const last = events.findLast((event) => isObject(event) && event.type === "run.finished");
  const reason: unknown = last?.type === "run.finished" ? last.reason : undefined;
  return reason === undefined || isReason(reason) ? undefined : wordOf(reason);
}

function wordOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}
