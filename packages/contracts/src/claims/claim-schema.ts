import { isObject, ownValue, quote } from "@phasekit/core/adapter";
import { z } from "zod";
import type { ClaimOutcome } from "./decide-claim.ts";
import { schemaIssueText } from "../contract/schema-issue.ts";

const identifier = z.string().min(1).max(200);
const text = (max: number) => z.string().max(max);
const hash = z.string().max(128);

/** Schema of a claim as an agent submits it. */
export const claimInputSchema = z.strictObject({
  summary: text(2000).default(""),
  completed_phase: identifier,
  /** A claim without a version counts as version 0, which no contract has. */
  contract_version: z
    .int()
    .min(0)
    .nullish()
    .transform((version) => version ?? 0),
  recommended_next_phase: identifier.nullish().transform((phase) => phase ?? null),
  artifact_path: text(1024)
    .nullish()
    .transform((path) => path ?? null),
  artifact_hash: hash.nullish().transform((declared) => declared ?? null),
  artifact_revision: z.int().min(0).optional(),
  confidence: z.enum(["low", "medium", "high"]).default("medium"),
  open_questions: z.array(text(1000)).max(100).default([]),
  promote_to: text(1024)
    .nullish()
    .transform((path) => path ?? null),
  /** The hash of the promoted file that this one may replace. */
  promote_base_hash: hash.nullish().transform((base) => base ?? null),
  skip_to: identifier.nullish().transform((phase) => phase ?? null),
  skip_reason: text(1000)
    .nullish()
    .transform((reason) => reason ?? null),
});

/** A claim as an agent writes it. */
export type ClaimInput = z.input<typeof claimInputSchema>;

/** A stored claim: the agent's input and the state at claim time. */
export interface Claim extends Readonly<z.output<typeof claimInputSchema>> {
  readonly id: string;
  readonly category: "phase_completion";
  readonly item_id: string;
  readonly run_id: string | null;
  /** Phase entry of the item at claim time. A claim of an older entry is stale, even in the same phase. */
  readonly entry: number;
  /** Hash of the contract at claim time. */
  readonly contract_hash: string | null;
  /** The artifact at claim time. Its text is in the store's snapshots, by hash. */
  readonly snapshot: Snapshot | null;
  /** A repeated key with equal content returns this claim. */
  readonly idempotency_key: string;
  readonly content_hash: string;
  readonly created_at: string;
  /** True once the claim is decided: its outcome is no longer `waiting`. */
  readonly processed: boolean;
  /** The last decision; absent before the first. */
  readonly outcome?: ClaimOutcome;
  /** The reason of the outcome, for programs. */
  readonly code?: string;
  /** The reason of the outcome, for people and agents. */
  readonly text?: string;
  /** Steps for the agent after a rejection, one per line. */
  readonly fix?: string;
  readonly processed_at?: string;
}

/** An artifact at claim time, without its text. */
export type Snapshot =
  | {
      readonly status: "found";
      readonly path: string;
      readonly hash: string;
      readonly from: "worktree" | "project";
      readonly warning?: string;
    }
  | { readonly status: "missing"; readonly path: string }
  | { readonly status: "refused"; readonly path: string; readonly reason: string; readonly detail: string }
  | { readonly status: "none" };

/** Renders zod issues as short texts, each with the value that was there. */
export function issueTextsWithValues({ issues }: z.ZodError, input: unknown): readonly string[] {
  return issues.map((issue) => {
    const value = issue.path.reduce<unknown>(
      (inner, key) => (isObject(inner) ? ownValue(inner, String(key)) : undefined),
      input,
    );
    // "is missing" and "unrecognized key" say it already.
    const isSaid = value === undefined || issue.code === "unrecognized_keys";
    return `${schemaIssueText(issue)}${isSaid ? "" : `, got ${quote(value, { max: 80 })}`}`;
  });
}

/** Renders zod issues as short texts. */
export function issueTexts({ issues }: z.ZodError): readonly string[] {
  return issues.map(schemaIssueText);
}
