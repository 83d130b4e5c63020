import { z } from "zod";

/** Schema of a judge's verdict. */
export const verdictInputSchema = z.strictObject({
  verdict: z.enum(["approved", "rejected"]),
  reason: z.string().min(1).max(4000).regex(/\S/),
  fix_instructions: z
    .string()
    .max(8000)
    .nullish()
    .transform((fix) => fix ?? null),
  summary: z.string().max(2000).optional(),
});

/** A verdict as a judge writes it. */
export type VerdictInput = z.input<typeof verdictInputSchema>;

/** A stored verdict, bound to one claim, artifact, contract and phase entry. */
export interface Verdict {
  readonly id: string;
  readonly category: "phase_verdict";
  readonly summary: string;
  readonly item_id: string;
  readonly phase: string;
  readonly entry: number;
  readonly claim_id: string;
  readonly review_id: string;
  /** Hash of the judged text: the artifact, or without one, the content of the claim. */
  readonly artifact_hash: string;
  readonly contract_hash: string;
  /** The skip that the verdict covers. */
  readonly skip_to: string | null;
  readonly verdict: "approved" | "rejected";
  readonly reason: string;
  readonly fix_instructions: string | null;
  readonly judge: string;
  readonly processed: boolean;
  readonly created_at: string;
}

/** A request for a verdict on a claim. Its `id` is a nonce, so only the judge that was asked can answer. */
export interface ClaimReview {
  readonly id: string;
  readonly item_id: string;
  readonly claim_id: string;
  readonly phase: string;
  readonly entry: number;
  readonly artifact_hash: string;
  readonly contract_hash: string;
  readonly skip_to: string | null;
  /** Why a judge is asked. */
  readonly escalations: readonly { readonly trigger: string; readonly evidence: string }[];
  readonly requested_at: string;
  /** Number of judges that did not answer. */
  readonly attempts: number;
  /** Deadline of the judge that is working on it. */
  readonly leased_until: string | null;
  /** `person`: the judges did not answer, so a person must. */
  readonly state: "open" | "person" | "answered" | "cancelled";
}
