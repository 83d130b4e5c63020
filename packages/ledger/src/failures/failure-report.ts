import { hashText } from "@phasekit/core/adapter";
import type { FailureReport } from "./check-failure-report.ts";

/**
 * The kind of obstacle: it passes, the task is wrong, the machine is broken, something is missing, or something outside
 * the work, which the reporter does not name more exactly.
 */
export const failureKinds = ["transient", "story_invalid", "environment", "prerequisite", "external"] as const;
/** How far it reaches: this attempt, its piece of work, the present round of work, or everything. */
export const failureScopes = ["attempt", "story", "epoch", "system"] as const;

export type FailureKind = (typeof failureKinds)[number];
export type FailureScope = (typeof failureScopes)[number];

/** Characters of an explanation that are kept, and count. */
export const MAX_EXPLANATION = 2000;

/** Equal for the same obstacle met again: ids, times, paths, hashes, line and long numbers do not count. */
export function reportSignature({
  kind,
  explanation,
  state = "",
  tool = "",
}: Pick<FailureReport, "kind" | "explanation"> & {
  readonly state?: string | undefined;
  readonly tool?: string | undefined;
}): string {
  return hashText(JSON.stringify([kind, state, tool, withoutNoise(explanation)]));
}

function withoutNoise(text: string): string {
  return text
    .slice(0, MAX_EXPLANATION)
    .toLowerCase()
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<id>")
    .replace(/\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}(:\d{2})?[.\d]*(z|[+-]\d{2}:?\d{2})?/g, "<time>")
    .replace(/\b\d{1,2}:\d{2}:\d{2}\b/g, "<time>")
    .replace(/(^|[\s"'(=])(?:[a-z]:)?(?:\.{0,2}[\\/][\w.@+-]+)+(?::\d+)*/g, "$1<path>")
    .replace(/\b(pid|process)[ =:]*\d+/g, "$1 <n>")
    .replace(/\b(line|column|row)s?[ =:]*\d+/g, "$1 <n>")
    .replace(/:\d+(:\d+)?\b/g, ":<n>")
    .replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b/g, "<hash>")
    .replace(/\d{4,}/g, "<n>")
    .replace(/\s+/g, " ")
    .trim();
}

const CAUSE_LENGTH = 60;

export interface WidenOptions {
  /** Different pieces of work that must meet the same cause. @default 3 */
  readonly threshold?: number;
  /** How long a report counts. @default 30 minutes */
  readonly windowMs?: number;
  readonly now: number;
}

/** The scope a failure has in the light of others: one step wider when enough different stories meet the same cause. */
export function widenScope(
  failure: Pick<FailureReport, "kind" | "explanation" | "scope">,
  others: readonly (Pick<FailureReport, "kind" | "explanation"> & { readonly story: string; readonly at: number })[],
  { threshold = 3, windowMs = 1_800_000, now }: WidenOptions,
): FailureScope {
  const cause = causeOf(failure);
  const stories = new Set(
    others.filter((other) => now - other.at <= windowMs && causeOf(other) === cause).map(({ story }) => story),
  );
  if (stories.size < threshold) return failure.scope;
  return failureScopes[Math.min(failureScopes.indexOf(failure.scope) + 1, failureScopes.length - 1)] ?? failure.scope;
}

function causeOf({ kind, explanation }: Pick<FailureReport, "kind" | "explanation">): string {
  return `${kind}\n${explanation.slice(0, CAUSE_LENGTH)}`;
}
