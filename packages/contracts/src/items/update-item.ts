import { storeBusy, unknownItem } from "../errors.ts";
import type { WorkChange, WorkRecord, WorkStore } from "../stores/work-store.ts";

/** Maximum number of attempts. Each failed attempt means that another writer succeeded. */
const MAX_TRIES = 200;

/**
 * Reads an item, computes a change and writes it. Starts again if another writer changed the item in between. Returns
 * the answer of the attempt that was written. A record that was just read saves the first reading.
 *
 * @throws UNKNOWN_ITEM, STORE_BUSY
 */
export async function updateItem<T>(
  store: WorkStore,
  item: string | WorkRecord,
  work: (
    record: WorkRecord,
  ) =>
    | Promise<{ readonly change?: WorkChange | undefined; readonly answer: T }>
    | { readonly change?: WorkChange | undefined; readonly answer: T },
): Promise<T> {
  const itemId = typeof item === "string" ? item : item.item.id;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const record = tries === 0 && typeof item !== "string" ? item : await store.load(itemId);
    if (record === undefined) throw unknownItem(itemId);
    const { change, answer } = await work(record);
    if (change === undefined || (await store.commit(change))) return answer;
  }
  throw storeBusy(itemId, MAX_TRIES);
}
