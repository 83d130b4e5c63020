/** The lines that differ, with some lines around them; empty if nothing differs. */
export function renderDiff(before: string, after: string, { context = 2 }: { readonly context?: number } = {}): string {
  if (before === after) return "";
  const rows = diffRows(before === "" ? [] : before.split("\n"), after === "" ? [] : after.split("\n"));
  const isNear = (index: number): boolean =>
    rows.slice(Math.max(0, index - context), index + context + 1).some(({ sign }) => sign !== " ");
  const lines: string[] = [];
  let skipped = false;
  rows.forEach(({ sign, line }, index) => {
    if (isNear(index)) {
      if (skipped && lines.length > 0) lines.push("  ...");
      skipped = false;
      lines.push(`${sign} ${line}`);
    } else skipped = true;
  });
  return lines.join("\n");
}

interface DiffRow {
  readonly sign: " " | "+" | "-";
  readonly line: string;
}

const MAX_LINES = 2000;

/**
 * A longest common subsequence of lines; files too long for that are shown as replaced between what they share at both
 * ends.
 */
function diffRows(before: readonly string[], after: readonly string[]): readonly DiffRow[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end += 1;
  const same = (lines: readonly string[]): DiffRow[] => lines.map((line) => ({ sign: " ", line }));
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  return [...same(before.slice(0, start)), ...middleRows(removed, added), ...same(before.slice(before.length - end))];
}

function middleRows(removed: readonly string[], added: readonly string[]): DiffRow[] {
  if (removed.length > MAX_LINES || added.length > MAX_LINES || removed.length === 0 || added.length === 0)
    return [
      ...removed.map((line): DiffRow => ({ sign: "-", line })),
      ...added.map((line): DiffRow => ({ sign: "+", line })),
    ];
  const width = added.length + 1;
  const common = new Uint16Array((removed.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = removed.length - 1; row >= 0; row -= 1)
    for (let column = added.length - 1; column >= 0; column -= 1)
      common[row * width + column] =
        removed[row] === added[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const rows: DiffRow[] = [];
  let [row, column] = [0, 0];
  while (row < removed.length || column < added.length) {
    const [out, into] = [removed[row], added[column]];
    if (out !== undefined && out === into) {
      rows.push({ sign: " ", line: out });
      row += 1;
      column += 1;
    } else if (out !== undefined && (into === undefined || at(row + 1, column) >= at(row, column + 1))) {
      rows.push({ sign: "-", line: out });
      row += 1;
    } else {
      rows.push({ sign: "+", line: into ?? "" });
      column += 1;
    }
  }
  return rows;
}
