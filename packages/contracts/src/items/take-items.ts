import type { ItemLease, LeasedWork, WorkRecord, WorkStore } from "../stores/work-store.ts";

/** Options for work on leased items. */
export interface LeaseOptions {
  /** Time after which other workers may take the items and messages of a worker that died. @default 30000 */
  readonly leaseMs?: number;
}

/** An item that this worker holds. */
export interface TakenItem {
  readonly record: WorkRecord;
  /** Time of the store's clock when the item was taken. */
  readonly now: number;
}

/** Items a worker takes at a time: enough for their changes to share calls, and few for others to wait for. */
export const BATCH = 16;

/**
 * Hands every item with this open work that no other worker holds to `work`, in batches and each item once. `work`
 * returns for how many milliseconds the item need not be looked at again unless it changes. An error of `work` is
 * thrown after its batch was released.
 */
export async function takeItems(
  store: WorkStore,
  having: LeasedWork,
  { leaseMs = 30_000, work }: LeaseOptions & { readonly work: (taken: TakenItem) => Promise<number> },
): Promise<void> {
  for (let after = ""; ;) {
    const lease = await store.takeItems({ having, after, leaseMs, limit: BATCH });
    const last = lease.records.at(-1);
    if (last === undefined) return;
    await workOn(store, lease, work);
    after = last.item.id;
  }
}

async function workOn(
  store: WorkStore,
  { token, now, records }: ItemLease,
  work: (taken: TakenItem) => Promise<number>,
): Promise<void> {
  const results = await Promise.allSettled(records.map((record) => work({ record, now })));
  await store.releaseItems(
    token,
    records.map(({ item: { id, version } }, index) => {
      const result = results[index];
      return { id, version, restMs: result?.status === "fulfilled" ? result.value : 0 };
    }),
  );
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
