import { fitText, padText, textWidth } from "../clean-text.ts";
import { wrapItems, wrapText } from "./wrap-text.ts";

/** A column of a table: head and alignment. */
export interface Column {
  readonly head: string;
  readonly right?: boolean;
  /** True if the column may be cut to fit the table. */
  readonly flexible?: boolean;
  /** The cell with its meaning, for a terminal that is too narrow for the table. @default "9 calls" for a number */
  readonly alone?: (cell: string) => string;
}

/**
 * Renders rows as aligned lines that fit the width; without columns if the terminal is too narrow for them. Cells may
 * be colored; they must be clean.
 */
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
  if (widths.reduce((sum, own) => sum + own + 2, -2) > width)
    return rows.flatMap((row) => stacked(row, columns, width));
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

/** Renders a row as a list that wraps between its cells. */
function stacked(row: readonly string[], columns: readonly Column[], width: number): readonly string[] {
  const items = row.flatMap((cell, index) => {
    const {
      head = "",
      right = false,
      alone = right
        ? (text: string) => `${text} ${text === "1" ? head.replace(/(?<=o)es$|s$/, "") : head}`.trim()
        : String,
    } = columns[index] ?? {};
    return textWidth(cell.trim()) === 0 ? [] : [alone(cell.trim())];
  });
  return wrapItems(items, { width: width - 2 })
    .flatMap((line) => wrapText(line, width - 2))
    .map((line, index) => (index === 0 ? line : `  ${line}`));
}
