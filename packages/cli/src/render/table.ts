import { fitText, padText, textWidth } from "../clean-text.ts";

/** A column of a table: head and alignment. */
export interface Column {
  readonly head: string;
  readonly right?: boolean;
  /** True if the column may be cut to fit the table. */
  readonly flexible?: boolean;
}

/** Renders rows as aligned lines that fit the width. Cells may be colored; they must be clean. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { width, head }: { readonly width: number; readonly head: (text: string) => string },
): readonly string[] {
  const natural = columns.map(({ head: title }, index) =>
    Math.max(textWidth(title), ...rows.map((row) => textWidth(row[index] ?? ""))),
  );
  const over = natural.reduce((sum, own) => sum + own + 2, -2) - width;
  const widths = shrink(natural, columns, Math.max(0, over));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => {
        const own = widths[index] ?? 0;
        const fitted = textWidth(cell) > own ? fitText(cell, own) : cell;
        return columns[index]?.right === true ? " ".repeat(own - textWidth(fitted)) + fitted : padText(fitted, own);
      })
      .join("  ")
      .trimEnd();
  return [head(line(columns.map(({ head: title }) => title))), ...rows.map(line)];
}

/** Shrinks the widest flexible columns to fit, each to at least eight. */
function shrink(widths: readonly number[], columns: readonly Column[], over: number): readonly number[] {
  const own = [...widths];
  for (let left = over; left > 0; left -= 1) {
    const widest = own.reduce(
      (best, width, index) =>
        columns[index]?.flexible === true && width > 8 && width > (own[best] ?? 0) ? index : best,
      columns.findIndex(({ flexible }) => flexible === true),
    );
    if (widest < 0 || (own[widest] ?? 0) <= 8) break;
    own[widest] = (own[widest] ?? 0) - 1;
  }
  return own;
}
