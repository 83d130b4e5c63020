import type { ComponentChildren, JSX } from "preact";

/** A column: its heading, what a row shows there, and whether it is a number. */
export interface Column<T> {
  readonly name: string;
  readonly show: (row: T) => ComponentChildren;
  readonly number?: boolean;
  /** Text that may be long: it gets the room. */
  readonly long?: boolean;
}

/** A plain table with a caption. */
export function DataTable<T>({ caption, columns, rows, keyOf, foot }: {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T, index: number) => string | number;
  readonly foot?: T;
}): JSX.Element {
  const cells = (row: T): JSX.Element[] => columns.map(({ name, show, number, long }) => <td key={name} class={number === true ? "number" : long === true ? "long" : undefined}>{show(row)}</td>);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead><tr>{columns.map(({ name, number }) => <th key={name} scope="col" class={number === true ? "number" : undefined}>{name}</th>)}</tr></thead>
        <tbody>{rows.map((row, index) => <tr key={keyOf(row, index)}>{cells(row)}</tr>)}</tbody>
        {foot === undefined ? null : <tfoot><tr>{cells(foot)}</tr></tfoot>}
      </table>
    </div>
  );
}
