import { storeBusy, unknownItem } from "../errors.ts";
import type { WorkChange, WorkRecord, WorkStore } from "../stores/work-store.ts";

/** Maximum number of attempts. Each failed attempt means that another writer succeeded. */
const MAX_TRIES = 200;

/**
 * Reads an item, computes a change and writes it. Starts again if another writer changed the item in between. Returns
 * the answer of the attempt that was written. `known` is the item as it was just read: it saves the first reading.
 *
 * @throws UNKNOWN_ITEM, STORE_BUSY
 */
export async function updateItem<T>(
  store: WorkStore,
  itemId: string,
  work: (
    record: WorkRecord,
  ) =>
    | Promise<{ readonly change?: WorkChange | undefined; readonly answer: T }>
    | { readonly change?: WorkChange | undefined; readonly answer: T },
  { known }: { readonly known?: WorkRecord | undefined } = {},
): Promise<T> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const record = tries === 0 && known !== undefined ? known : await store.load(itemId);
    if (record === undefined) throw unknownItem(itemId);
    const { change, answer } = await work(record);
    if (change === undefined || (await store.commit(change))) return answer;
  }
  throw storeBusy(itemId, MAX_TRIES);
}
