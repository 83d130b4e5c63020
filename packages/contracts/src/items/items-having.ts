import { isOpen } from "../claims/claim-change.ts";
import { systemClock } from "../system.ts";
import type { ClaimReview } from "../reviews/verdict-schema.ts";
import type { ItemQuery, WorkStore } from "../stores/work-store.ts";

/** Returns the open reviews that no judge is working on: for a dispatcher, or as a list for people. */
export async function pendingReviews(
  store: WorkStore,
  { clock = systemClock }: { readonly clock?: () => number } = {},
): Promise<readonly ClaimReview[]> {
  const found: ClaimReview[] = [];
  const now = clock();
  for await (const itemId of itemsHaving(store, "open-review")) {
    const record = await store.load(itemId);
    found.push(
      ...(record?.reviews ?? []).filter(
        (review) => isOpen(review) && (review.leased_until === null || Date.parse(review.leased_until) <= now),
      ),
    );
  }
  return found;
}

/** Yields every item with open work, page by page, whoever else looks at it. */
export async function* itemsHaving(store: WorkStore, having: NonNullable<ItemQuery["having"]>): AsyncGenerator<string> {
  for (let after = ""; ;) {
    const page = await store.list({ having, after, limit: 500 });
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last;
  }
}
