import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { plural } from "../../views/number-text.ts";

/** A column of a table. */
export interface Column<T> {
  readonly name: string;
  readonly show: (row: T) => ComponentChildren;
  readonly number?: boolean;
  /** True for long text: the column gets the remaining width. */
  readonly long?: boolean;
}

/** Rows shown at first: thousands would slow the page down. */
const FIRST_ROWS = 100;

/** A plain table with a caption. */
export function DataTable<T>({
  caption,
  columns,
  rows,
  keyOf,
  foot,
}: {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T, index: number) => string | number;
  readonly foot?: T;
}): JSX.Element {
  const [whole, setWhole] = useState(false);
  const drawn = whole ? rows : rows.slice(0, FIRST_ROWS);
  const cells = (row: T): JSX.Element[] =>
    columns.map(({ name, show, number, long }) => (
      <td key={name} data-name={name} class={number === true ? "number" : long === true ? "long" : undefined}>
        <div>{show(row)}</div>
      </td>
    ));
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, number }) => (
              <th key={name} scope="col" class={number === true ? "number" : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {drawn.map((row, index) => (
            <tr key={keyOf(row, index)}>{cells(row)}</tr>
          ))}
        </tbody>
        {foot === undefined ? null : (
          <tfoot>
            <tr>{cells(foot)}</tr>
          </tfoot>
        )}
      </table>
      {drawn.length === rows.length ? null : (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {plural(rows.length, "row")}
        </button>
      )}
    </div>
  );
}
