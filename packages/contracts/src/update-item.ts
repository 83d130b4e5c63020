import { storeBusy, unknownItem } from "./errors.ts";
import type { WorkChange, WorkRecord, WorkStore } from "./work-store.ts";

/** Tries before giving up; each means that somebody else got something done. */
const MAX_TRIES = 200;

/**
 * Reads an item, works out a change from what was read, and writes it; begins again when somebody else wrote in
 * between. The answer is that of the try that was written.
 *
 * @throws UNKNOWN_ITEM, STORE_BUSY
 */
export async function updateItem<T>(
  store: WorkStore,
  itemId: string,
  work: (record: WorkRecord) => Promise<{ readonly change?: WorkChange | undefined; readonly answer: T }> | { readonly change?: WorkChange | undefined; readonly answer: T },
): Promise<T> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const record = await store.load(itemId);
    if (record === undefined) throw unknownItem(itemId);
    const { change, answer } = await work(record);
    if (change === undefined || (await store.commit(change))) return answer;
  }
  throw storeBusy(itemId, MAX_TRIES);
}
