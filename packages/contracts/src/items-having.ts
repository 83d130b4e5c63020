import { isOpen } from "./claim-change.ts";
import { systemClock } from "./system.ts";
import type { Review } from "./verdict-schema.ts";
import type { WorkStore } from "./work-store.ts";

/** Reviews that wait for a verdict and that no judge is working on: for a dispatcher, or a list for people. */
export async function pendingReviews(store: WorkStore, { clock = systemClock }: { readonly clock?: () => number } = {}): Promise<readonly Review[]> {
  const found: Review[] = [];
  const now = clock();
  for await (const itemId of itemsHaving(store, "open-review")) {
    const record = await store.load(itemId);
    found.push(...(record?.reviews ?? []).filter((review) => isOpen(review) && (review.leased_until === null || Date.parse(review.leased_until) <= now)));
  }
  return found;
}

/** Every item with something to do, page by page. */
export async function* itemsHaving(store: WorkStore, having: "open-claim" | "revision" | "open-review"): AsyncGenerator<string> {
  for (let after = ""; ; ) {
    const page = await store.list({ having, after, limit: 500 });
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last;
  }
}
