/** Rows that say the same, as one. */
export interface RowGroup<T> {
  /** The first of them. */
  readonly row: T;
  readonly times: number;
  readonly last: T;
}

/** Groups rows that say the same, in order of their first appearance: fifty equal nudges are one line. */
export function groupRows<T>(rows: readonly T[], keyOf: (row: T) => string): readonly RowGroup<T>[] {
  const groups = new Map<string, RowGroup<T>>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    groups.set(
      key,
      group === undefined ? { row, times: 1, last: row } : { ...group, times: group.times + 1, last: row },
    );
  }
  return [...groups.values()];
}

/** Collects rows by a key, in order of their first appearance. */
export function rowsByKey<T, TKey>(rows: readonly T[], keyOf: (row: T) => TKey): ReadonlyMap<TKey, readonly T[]> {
  const found = new Map<TKey, T[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const own = found.get(key);
    if (own === undefined) found.set(key, [row]);
    else own.push(row);
  }
  return found;
}
