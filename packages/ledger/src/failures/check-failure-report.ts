import { z } from "zod";
import { failureKinds, failureScopes, reportSignature, MAX_EXPLANATION } from "./failure-report.ts";

const MAX_EVIDENCE = 10;
const LIMITS = { explanation: MAX_EXPLANATION, evidence: 1000, label: 500 };

const evidence = z.object({ label: z.string().optional(), text: z.string() });

const schema = z.object({
  id: z.string().min(1),
  kind: z.enum(failureKinds),
  explanation: z.string().trim().min(1, "an explanation is needed"),
  /** The cause, as its reporter sees it. */
  scope: z.enum(failureScopes).default("attempt"),
  /** The cause, as triage found it. */
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
export type CheckedFailure =
  | { readonly ok: true; readonly report: FailureReport }
  | { readonly ok: false; readonly issues: readonly { readonly path: string; readonly message: string }[] };

/**
 * Checks what an agent reports as blocking: the kind must be known and the explanation must say something. Texts and
 * evidence are cut to their limits, and the signature is filled in.
 */
export function checkFailureReport(value: unknown): CheckedFailure {
  const parsed = schema.safeParse(value);
  if (!parsed.success)
    return { ok: false, issues: parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message })) };
  const { explanation, evidence: all, ...rest } = parsed.data;
  const report = {
    ...rest,
    explanation: explanation.slice(0, LIMITS.explanation),
    evidence: all.slice(0, MAX_EVIDENCE).map(({ label, text }) => ({
      ...(label !== undefined && { label: label.slice(0, LIMITS.label) }),
      text: text.slice(0, LIMITS.evidence),
    })),
  };
  return { ok: true, report: { ...report, signature: reportSignature(report) } };
}
