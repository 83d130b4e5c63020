/** A table, or notes, under a title. */
export interface Table {
  readonly title: string;
  readonly head?: readonly string[];
  readonly rows?: readonly (readonly (string | number)[])[];
  readonly notes?: readonly string[];
}

/** True if the table has anything to print. */
export function hasContent({ rows, notes }: Table): boolean {
  return rows === undefined ? (notes?.length ?? 0) > 0 : rows.length > 0;
}

/** A table as text: the first column to the left, the others to the right. */
export function renderTable({ title, head, rows = [], notes = [] }: Table): string {
  const lines = ["", `## ${title}`, ""];
  if (head !== undefined) {
    const widths = head.map((name, i) => Math.max(name.length, ...rows.map((row) => String(row[i]).length)));
    const line = (cells: readonly (string | number)[]): string =>
      cells
        .map((cell, i) => (i === 0 ? String(cell).padEnd(widths[i] ?? 0) : String(cell).padStart(widths[i] ?? 0)))
        .join("  ")
        .trimEnd();
    lines.push(line(head), widths.map((width) => "-".repeat(width)).join("  "), ...rows.map(line));
    if (notes.length > 0) lines.push("");
  }
  return [...lines, ...notes].join("\n");
}
