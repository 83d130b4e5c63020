import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { FolderRow } from "../../views/folder/folder-rows.ts";
import { Icon } from "../parts/icon.tsx";
import { useSmallScreen } from "../parts/use-small-screen.ts";
import { useVirtualRows } from "../parts/use-virtual-rows.ts";
import { hrefOf } from "../route.ts";
import type { KnownRun } from "../sources/source.ts";
import { COLUMNS, type RunSort } from "./run-columns.tsx";

type Row = FolderRow<KnownRun>;

/** Heights of the rows in pixels, as in styles/folder.css. */
const WIDE = { run: 58, group: 42 };
const SMALL = { run: 190, group: 60 };

/** The name of a row for the keys: its run or its group. */
export const rowName = (row: Row): string => (row.kind === "run" ? row.run.line.run : `group ${row.name}`);

/** The table of runs. On a small screen a row becomes a card. Only the rows on the screen are drawn. */
export function RunTable({
  rows,
  sort,
  picked,
  chosen,
  onSort,
  onPick,
  onToggle,
}: {
  readonly rows: readonly Row[];
  readonly sort: RunSort;
  /** The runs to compare. */
  readonly picked: readonly string[];
  /** The row that the keys are on. */
  readonly chosen: string | undefined;
  readonly onSort: (sort: RunSort) => void;
  readonly onPick: (run: string) => void;
  /** Opens or closes a group. */
  readonly onToggle: (name: string) => void;
}): JSX.Element {
  const sizes = useSmallScreen() ? SMALL : WIDE;
  const heights = useMemo(() => rows.map(({ kind }) => sizes[kind]), [rows, sizes]);
  const { box, first, last, above, below, reveal } = useVirtualRows<HTMLTableSectionElement>(heights);
  useEffect(() => {
    const index = chosen === undefined ? -1 : rows.findIndex((row) => rowName(row) === chosen);
    if (index === -1) return;
    reveal(index);
    requestAnimationFrame(() => {
      const row = [...(box.current?.querySelectorAll<HTMLElement>("tr") ?? [])].find(
        ({ dataset }) => dataset["row"] === chosen,
      );
      row?.querySelector<HTMLElement>("a, button")?.focus({ preventScroll: true });
    });
  }, [chosen]);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Runs">
      <table class="runs" aria-rowcount={rows.length + 1}>
        <caption>Runs</caption>
        <RunTableHead sort={sort} onSort={onSort} />
        <tbody ref={box}>
          {above === 0 ? null : <Gap height={above} />}
          {rows
            .slice(first, last)
            .map((row, offset) =>
              row.kind === "group" ? (
                <GroupRow key={rowName(row)} row={row} index={first + offset} onToggle={onToggle} />
              ) : (
                <RunRow
                  key={rowName(row)}
                  run={row.run}
                  depth={row.depth}
                  index={first + offset}
                  isPicked={picked.includes(row.run.line.run)}
                  isChosen={rowName(row) === chosen}
                  onPick={onPick}
                />
              ),
            )}
          {below === 0 ? null : <Gap height={below} />}
        </tbody>
      </table>
    </div>
  );
}

function RunTableHead({
  sort,
  onSort,
}: {
  readonly sort: RunSort;
  readonly onSort: (sort: RunSort) => void;
}): JSX.Element {
  return (
    <thead>
      <tr>
        <th scope="col" class="pick">
          <span class="hidden">Compare</span>
        </th>
        {COLUMNS.map(({ name, number }, index) => (
          <th
            key={name}
            scope="col"
            class={number === true ? `number ${name.toLowerCase()}` : name.toLowerCase()}
            aria-sort={sort.by === index ? (sort.down ? "descending" : "ascending") : "none"}
          >
            <button
              type="button"
              onClick={() => onSort({ by: index, down: sort.by === index ? !sort.down : number === true })}
            >
              {name}
              {sort.by === index ? (sort.down ? " ↓" : " ↑") : ""}
            </button>
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** Deeper rows would leave no room for their titles. */
const MAX_INDENT = 4;

/** The space of rows that are not drawn. */
const Gap = ({ height }: { readonly height: number }): JSX.Element => (
  <tr class="gap" aria-hidden="true" style={{ height: `${String(height)}px` }} />
);

function GroupRow({
  row: { name, text, isOpen },
  index,
  onToggle,
}: {
  readonly row: Extract<Row, { readonly kind: "group" }>;
  readonly index: number;
  readonly onToggle: (name: string) => void;
}): JSX.Element {
  return (
    <tr class="group" aria-rowindex={index + 2} data-row={`group ${name}`}>
      <th scope="colgroup" colSpan={COLUMNS.length + 1}>
        <button type="button" aria-expanded={isOpen} onClick={() => onToggle(name)}>
          <Icon name={isOpen ? "open" : "later"} />
          <b>{name}</b> <span class="quiet">{text}</span>
        </button>
      </th>
    </tr>
  );
}

function RunRow({
  run: { line, href },
  depth,
  index,
  isPicked,
  isChosen,
  onPick,
}: {
  readonly run: KnownRun;
  readonly depth: number;
  readonly index: number;
  readonly isPicked: boolean;
  readonly isChosen: boolean;
  readonly onPick: (run: string) => void;
}): JSX.Element {
  return (
    <tr
      aria-rowindex={index + 2}
      data-row={line.run}
      class={isChosen ? "chosen" : undefined}
      style={depth === 0 ? undefined : { "--depth": Math.min(depth, MAX_INDENT) }}
    >
      <td class="pick">
        {href === undefined ? (
          <input
            type="checkbox"
            aria-label={`Compare ${line.title}`}
            checked={isPicked}
            onChange={() => onPick(line.run)}
          />
        ) : null}
      </td>
      {COLUMNS.map(({ name, show, number }) => (
        <td key={name} data-name={name} class={number === true ? "number" : name.toLowerCase()}>
          {show(line, href ?? hrefOf({ page: "run", run: line.run }))}
        </td>
      ))}
    </tr>
  );
}
