import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { plural } from "../../views/number-text.ts";
import type { RunLine } from "../../views/run-line.ts";
import { EmptyFolder } from "./empty-folder.tsx";
import { FolderSums } from "./folder-sums.tsx";
import { hrefOf } from "../route.ts";
import { FIRST_SORT, type RunSort, RunTable, sortRuns } from "./run-table.tsx";
import type { KnownRun } from "../sources/source.ts";

/** The page of many runs: sums, and a table to sort and filter. */
export function FolderPage({
  title,
  runs,
}: {
  readonly title: string;
  readonly runs: readonly KnownRun[];
}): JSX.Element {
  const [sort, setSort] = useState<RunSort>(FIRST_SORT);
  const [words, setWords] = useState("");
  const [picked, setPicked] = useState<readonly string[]>([]);
  const shown = useMemo(
    () =>
      sortRuns(
        runs.filter(({ line }) => matches(line, words)),
        sort,
      ),
    [runs, words, sort],
  );
  const [a, b] = picked;
  if (runs.length === 0)
    return (
      <>
        <header class="head">
          <h1>{title}</h1>
        </header>
        <EmptyFolder />
      </>
    );
  return (
    <>
      <header class="head">
        <h1>{title}</h1>
      </header>
      <FolderSums lines={runs.map(({ line }) => line)} onPick={setWords} />
      <section class="card" aria-label="List of runs">
        <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
          <input
            id="search"
            type="search"
            aria-label="Filter"
            placeholder="Filter by title, tool, outcome, reason or phase"
            value={words}
            onInput={({ currentTarget: { value } }) => setWords(value)}
          />
          <p role="status" class="quiet">{`${String(shown.length)} of ${plural(runs.length, "run")}`}</p>
          <span class="space" />
          {a !== undefined && b !== undefined ? (
            <a class="button primary" href={hrefOf({ page: "compare", a, b })}>
              Compare
            </a>
          ) : (
            <p class="quiet">Select two runs to compare them.</p>
          )}
        </form>
        <RunTable runs={shown} sort={sort} onSort={setSort} picked={picked} onPick={setPicked} />
      </section>
    </>
  );
}

function matches(line: RunLine, words: string): boolean {
  const { title, run, state, reason = "", grade = "", word, phases, source = "", models = [] } = line;
  const text = [
    ...[title, run, state, reason, grade, source, word],
    ...[...models, ...phases.map(({ phase }) => phase)],
  ]
    .join(" ")
    .toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
