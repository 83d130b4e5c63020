import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import {
  type FolderRow,
  folderRows,
  filterRuns,
  type RunFilter,
  type RunGroup,
} from "../../views/folder/folder-rows.ts";
import type { RunLine } from "../../views/run-line.ts";
import { useKeys } from "../parts/use-keys.ts";
import { hrefOf } from "../route.ts";
import type { KnownRun } from "../sources/source.ts";
import { EmptyFolder } from "./empty-folder.tsx";
import { FolderFilters } from "./folder-filters.tsx";
import { FolderSums } from "./folder-sums.tsx";
import { FIRST_SORT, type RunSort, sortRuns } from "./run-columns.tsx";
import { rowName, RunTable } from "./run-table.tsx";
import { TrendChart } from "./trend-chart.tsx";

/** How a reader looks at the runs. Kept while a run is open, so that the way back leads to the same place. */
export interface FolderView {
  readonly filter: RunFilter;
  readonly group: RunGroup;
  /** Names of the groups that are closed. */
  readonly closed: ReadonlySet<string>;
  readonly sort: RunSort;
  /** The runs to compare. */
  readonly picked: readonly string[];
  /** The row that the keys are on, by its run or its group. */
  readonly chosen?: string | undefined;
  readonly scroll: number;
}

export const FIRST_VIEW: FolderView = {
  filter: { words: "", from: "", to: "" },
  group: "nothing",
  closed: new Set(),
  sort: FIRST_SORT,
  picked: [],
  scroll: 0,
};

/** The page of many runs: sums, their course over time, and a table to sort, filter and group. */
export function FolderPage({
  title,
  runs,
  view,
  onView,
}: {
  readonly title: string;
  readonly runs: readonly KnownRun[];
  readonly view: FolderView;
  readonly onView: (change: Partial<FolderView>) => void;
}): JSX.Element {
  const { filter, group, closed, sort, picked, chosen } = view;
  const { words } = filter;
  // The chart shows all days of the runs that have the words, so that a reader can choose other ones.
  const found = useMemo(() => filterRuns(runs, { words, from: "", to: "" }), [runs, words]);
  const foundLines = useMemo(() => linesOf(found), [found]);
  const shown = useMemo(() => sortRuns(filterRuns(found, filter), sort), [found, filter, sort]);
  const rows = useMemo(() => folderRows(shown, { group, closed }), [shown, group, closed]);
  useKeptScroll(view.scroll, (scroll) => onView({ scroll }));
  useFolderKeys(view, { rows, onView });
  const head = (
    <header class="head">
      <h1>{title}</h1>
    </header>
  );
  if (runs.length === 0)
    return (
      <>
        {head}
        <EmptyFolder />
      </>
    );
  const onFilter = (next: RunFilter): void => onView({ filter: next });
  return (
    <>
      {head}
      <FolderSums lines={linesOf(shown)} onPick={(text) => onFilter({ ...filter, words: text })} />
      <TrendChart lines={foundLines} range={filter} onRange={(range) => onFilter({ ...filter, ...range })} />
      <section class="card" aria-label="List of runs">
        <FolderFilters
          filter={filter}
          group={group}
          shown={shown.length}
          all={runs.length}
          picked={picked}
          onFilter={onFilter}
          onGroup={(next) => onView({ group: next, closed: FIRST_VIEW.closed })}
        />
        <RunTable
          rows={rows}
          sort={sort}
          picked={picked}
          chosen={chosen}
          onSort={(next) => onView({ sort: next })}
          onPick={(run) => onView({ picked: withPicked(picked, run) })}
          onToggle={(name) => onView({ closed: toggled(closed, name) })}
        />
      </section>
    </>
  );
}

const linesOf = (runs: readonly KnownRun[]): readonly RunLine[] => runs.map(({ line }) => line);

/** Adds a run to the two to compare, or takes it away. */
const withPicked = (picked: readonly string[], run: string): readonly string[] =>
  picked.includes(run) ? picked.filter((other) => other !== run) : [...picked, run].slice(-2);

const toggled = (names: ReadonlySet<string>, name: string): ReadonlySet<string> =>
  new Set(names.has(name) ? [...names].filter((other) => other !== name) : [...names, name]);

function useFolderKeys(
  { filter, group, picked, chosen, closed }: FolderView,
  {
    rows,
    onView,
  }: { readonly rows: readonly FolderRow<KnownRun>[]; readonly onView: (change: Partial<FolderView>) => void },
): void {
  const step = (by: number): void => {
    const at = rows.findIndex((row) => rowName(row) === chosen);
    const row = rows[at === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))];
    if (row !== undefined) onView({ chosen: rowName(row) });
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    x: () => {
      const row = rows.find((each) => rowName(each) === chosen);
      if (row?.kind === "group") onView({ closed: toggled(closed, row.name) });
      else if (row !== undefined && row.run.href === undefined)
        onView({ picked: withPicked(picked, row.run.line.run) });
    },
    c: () => {
      const [a, b] = picked;
      if (a !== undefined && b !== undefined) location.hash = hrefOf({ page: "compare", a, b });
    },
    g: () => onView({ group: group === "nothing" ? "project" : "nothing" }),
    "/": () => document.getElementById("search")?.focus(),
    Escape: () => {
      if (chosen !== undefined) onView({ chosen: undefined });
      else if (filter !== FIRST_VIEW.filter) onView({ filter: FIRST_VIEW.filter });
    },
  });
}

/** Restores the place on the page, and hands it over when the reader leaves. */
function useKeptScroll(scroll: number, keep: (scroll: number) => void): void {
  const place = useRef(scroll);
  useLayoutEffect(() => {
    scrollTo(0, scroll);
    const follow = (): void => {
      place.current = scrollY;
    };
    addEventListener("scroll", follow, { passive: true });
    return () => {
      removeEventListener("scroll", follow);
      keep(place.current);
    };
  }, []);
}
