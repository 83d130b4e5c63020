import { z } from "zod";

/** What a judge answers. Text around it is never read: a verdict comes in this shape or not at all. */
export const verdictInputSchema = z
  .strictObject({
    verdict: z.enum(["approved", "rejected"]),
    reason: z.string().min(1).max(4000).regex(/\S/),
    fix_instructions: z.string().max(8000).nullish().transform((fix) => fix ?? null),
    summary: z.string().max(2000).optional(),
  });

/** A verdict as a judge writes it. */
export type VerdictInput = z.input<typeof verdictInputSchema>;

/** A judge's answer, bound to what was judged: this claim, this artifact, this contract, this stay in the phase. */
export interface Verdict {
  readonly id: string;
  readonly category: "phase_verdict";
  readonly summary: string;
  readonly item_id: string;
  readonly phase: string;
  readonly entry: number;
  readonly claim_id: string;
  readonly review_id: string;
  readonly artifact_hash: string;
  readonly contract_hash: string;
  /** A skip that was part of what was judged. */
  readonly skip_to: string | null;
  readonly verdict: "approved" | "rejected";
  readonly reason: string;
  readonly fix_instructions: string | null;
  readonly judge: string;
  readonly processed: boolean;
  readonly created_at: string;
}

/** A request for a verdict. Its `id` is a nonce: only who was asked can answer. */
export interface Review {
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
  /** Judges that were asked and did not answer. */
  readonly attempts: number;
  /** Until when one is expected to answer. */
  readonly leased_until: string | null;
  /** A person has to answer: the judges did not. */
  readonly state: "open" | "person" | "answered" | "cancelled";
}
