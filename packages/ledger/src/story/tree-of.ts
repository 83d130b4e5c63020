/** A row of a tree, and how many runs above it are in the list. */
export interface TreeRow<TRow> {
  readonly row: TRow;
  readonly depth: number;
}

/**
 * Orders runs so that each is below the one that started it. Runs without a parent, and those below one parent, keep
 * their order. A run whose parent is not in the list is at the top.
 *
 * @example
 * treeOf(lines, { keyOf: ({ run }) => run, parentOf: ({ parent }) => parent });
 */
export function treeOf<TRow>(
  rows: readonly TRow[],
  {
    keyOf,
    parentOf,
  }: {
    readonly keyOf: (row: TRow) => string;
    readonly parentOf: (row: TRow) => string | undefined;
  },
): readonly TreeRow<TRow>[] {
  const known = new Set(rows.map(keyOf));
  const below = new Map<string, TRow[]>();
  const top: TreeRow<TRow>[] = [];
  for (const row of rows) {
    const parent = parentOf(row);
    const siblings = parent === undefined ? undefined : below.get(parent);
    if (parent === undefined || !known.has(parent)) top.push({ row, depth: 0 });
    else if (siblings === undefined) below.set(parent, [row]);
    else siblings.push(row);
  }
  const placed = new Map<TRow, number>();
  const place = (first: TreeRow<TRow>): void => {
    const open = [first];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { row, depth } = next;
      if (placed.has(row)) continue;
      placed.set(row, depth);
      for (const child of (below.get(keyOf(row)) ?? []).toReversed()) open.push({ row: child, depth: depth + 1 });
    }
  };
  for (const row of top) place(row);
  // A damaged log may name a run as its own parent: such runs are below no run at the top.
  for (const row of rows) if (!placed.has(row)) place({ row, depth: 0 });
  return [...placed].map(([row, depth]) => ({ row, depth }));
}
