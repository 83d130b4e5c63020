import { isOpen, itemChange } from "../claims/claim-change.ts";
import { issueTexts } from "../claims/claim-schema.ts";
import { invalidInput, unknownReview } from "../errors.ts";
import { isoTime, randomId, systemClock } from "../system.ts";
import { updateItem } from "../items/update-item.ts";
import { type Verdict, type VerdictInput, verdictInputSchema } from "./verdict-schema.ts";
import type { WorkStore } from "../stores/work-store.ts";
import type { z } from "zod";

/**
 * Gives a verdict on a review, from a person, a script or a judge's tool call. Whoever has the review's id may answer.
 * The verdict is bound to the claim, artifact and contract of the review.
 *
 * @throws INVALID_INPUT, UNKNOWN_REVIEW
 */
export async function giveVerdict(
  store: WorkStore,
  { review, judge, ...verdict }: VerdictInput & { readonly review: string; readonly judge: string },
  {
    clock = systemClock,
    createId = randomId,
  }: { readonly clock?: () => number; readonly createId?: () => string } = {},
): Promise<void> {
  const parsed = verdictInputSchema.safeParse(verdict);
  if (!parsed.success) throw invalidInput("verdict", issueTexts(parsed.error));
  const found = await store.findReview(review);
  if (found === undefined) throw unknownReview(review);
  if (
    !(await recordVerdict(store, {
      itemId: found.itemId,
      reviewId: review,
      verdict: parsed.data,
      judge,
      clock,
      createId,
    }))
  )
    throw unknownReview(review);
}

interface VerdictRecord {
  readonly itemId: string;
  readonly reviewId: string;
  readonly verdict: z.output<typeof verdictInputSchema>;
  readonly judge: string;
  readonly clock: () => number;
  readonly createId: () => string;
}

/** Writes a checked verdict. Returns false if the review is not open. */
export async function recordVerdict(
  store: WorkStore,
  { itemId, reviewId, verdict, judge, clock, createId }: VerdictRecord,
): Promise<boolean> {
  return updateItem(store, itemId, ({ item, reviews }) => {
    const review = reviews.find(({ id }) => id === reviewId);
    if (review === undefined || !isOpen(review)) return { answer: false };
    const now = clock();
    const { claim_id, phase, entry, artifact_hash, contract_hash, skip_to } = review;
    const made: Verdict = {
      ...verdict,
      id: createId(),
      category: "phase_verdict",
      summary: verdict.summary ?? `Phase ${verdict.verdict}`,
      item_id: itemId,
      review_id: reviewId,
      claim_id,
      phase,
      entry,
      artifact_hash,
      contract_hash,
      skip_to,
      judge,
      processed: false,
      created_at: isoTime(now),
    };
    return {
      change: itemChange(
        item,
        {},
        { now, rest: { verdicts: [made], reviews: [{ ...review, state: "answered", leased_until: null }] } },
      ),
      answer: true,
    };
  });
}
