import { hashText } from "@phasekit/core";
import { z } from "zod";

/** What kind of obstacle it is: it passes, the task is wrong, the machine is broken, or something is missing. */
export const failureKinds = ["transient", "story_invalid", "environment", "prerequisite"] as const;
/** How far it reaches: this attempt, its piece of work, the present round of work, or everything. */
export const failureScopes = ["attempt", "story", "epoch", "system"] as const;

export type FailureKind = (typeof failureKinds)[number];
export type FailureScope = (typeof failureScopes)[number];

const MAX_EVIDENCE = 10;
const LIMITS = { explanation: 2000, evidence: 1000, label: 500 };
/** A kind that older reports used for everything outside the task. */
const RETIRED: Readonly<Record<string, FailureKind>> = { external: "prerequisite" };

const evidence = z.object({ label: z.string().optional(), text: z.string() });

const schema = z.object({
  id: z.string().min(1),
  kind: z.preprocess((kind) => (typeof kind === "string" ? (RETIRED[kind] ?? kind) : kind), z.enum(failureKinds)),
  explanation: z.string().trim().min(1, "an explanation is needed"),
  /** What the one who reports it believes. */
  scope: z.enum(failureScopes).default("attempt"),
  /** What triage found. */
  resolvedScope: z.enum(failureScopes).optional(),
  source: z.string().optional(),
  /** Where it happened. */
  state: z.string().optional(),
  tool: z.string().optional(),
  owner: z.string().optional(),
  action: z.string().optional(),
  status: z.enum(["open", "triaged", "resolved"]).default("open"),
  resolution: z.string().optional(),
  evidence: z.array(evidence).default([]),
  tags: z.array(z.string()).default([]),
  affected: z.array(z.string()).default([]),
  at: z.number().optional(),
});

/** Something that blocks the work, as an agent or a host reports it. Plain data; it survives JSON. */
export type FailureReport = Readonly<z.infer<typeof schema>> & { readonly signature: string };

/** A report, or every reason why it is none. */
export type CheckedFailure = { readonly ok: true; readonly report: FailureReport } | { readonly ok: false; readonly issues: readonly { readonly path: string; readonly message: string }[] };

/**
 * Checks what an agent reports as blocking: the kind must be known and the explanation must say something. Texts and
 * evidence are cut to their limits, and the signature is filled in.
 */
export function checkFailureReport(value: unknown): CheckedFailure {
  const parsed = schema.safeParse(value);
  if (!parsed.success) return { ok: false, issues: parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message })) };
  const { explanation, evidence: all, ...rest } = parsed.data;
  const report = {
    ...rest,
    explanation: explanation.slice(0, LIMITS.explanation),
    evidence: all.slice(0, MAX_EVIDENCE).map(({ label, text }) => ({ ...(label !== undefined && { label: label.slice(0, LIMITS.label) }), text: text.slice(0, LIMITS.evidence) })),
  };
  return { ok: true, report: { ...report, signature: failureSignature(report) } };
}

/** Equal for the same obstacle met again: ids, times, paths, hashes, line and long numbers do not count. */
export function failureSignature({ kind, explanation, state = "", tool = "" }: Pick<FailureReport, "kind" | "explanation"> & { readonly state?: string | undefined; readonly tool?: string | undefined }): string {
  return hashText(JSON.stringify([kind, state, tool, withoutNoise(explanation)]));
}

function withoutNoise(text: string): string {
  return text
    .slice(0, LIMITS.explanation)
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
  const stories = new Set(others.filter((other) => now - other.at <= windowMs && causeOf(other) === cause).map(({ story }) => story));
  if (stories.size < threshold) return failure.scope;
  return failureScopes[Math.min(failureScopes.indexOf(failure.scope) + 1, failureScopes.length - 1)] ?? failure.scope;
}

function causeOf({ kind, explanation }: Pick<FailureReport, "kind" | "explanation">): string {
  return `${kind}\n${explanation.slice(0, CAUSE_LENGTH)}`;
}
