import type { JSX } from "preact";
import { plural } from "../../views/number-text.ts";
import { type RunFilter, type RunGroup, runGroups } from "../../views/folder/folder-rows.ts";
import { hrefOf } from "../route.ts";

/** Search, days and grouping of the table of runs. */
export function FolderFilters({
  filter,
  group,
  shown,
  all,
  picked: [a, b],
  onFilter,
  onGroup,
}: {
  readonly filter: RunFilter;
  readonly group: RunGroup;
  /** How many runs pass the filter, and how many there are. */
  readonly shown: number;
  readonly all: number;
  /** The runs to compare. */
  readonly picked: readonly string[];
  readonly onFilter: (filter: RunFilter) => void;
  readonly onGroup: (group: RunGroup) => void;
}): JSX.Element {
  const day = (name: "from" | "to", label: string): JSX.Element => (
    <label>
      {label}
      <input
        type="date"
        value={filter[name]}
        onInput={({ currentTarget: { value } }) => onFilter({ ...filter, [name]: value })}
      />
    </label>
  );
  const isFiltered = filter.words !== "" || filter.from !== "" || filter.to !== "";
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <input
        id="search"
        type="search"
        aria-label="Filter"
        placeholder="Filter by title, tool, project, outcome or phase (press /)"
        value={filter.words}
        onInput={({ currentTarget: { value } }) => onFilter({ ...filter, words: value })}
      />
      {day("from", "From")}
      {day("to", "To")}
      <label>
        Group by
        <select value={group} onChange={({ currentTarget: { value } }) => onGroup(groupIn(value))}>
          {runGroups.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      {isFiltered ? (
        <button type="button" onClick={() => onFilter({ words: "", from: "", to: "" })}>
          Clear
        </button>
      ) : null}
      <p role="status" class="quiet">{`${String(shown)} of ${plural(all, "run")}`}</p>
      <span class="space" />
      {a !== undefined && b !== undefined ? (
        <a class="button primary" href={hrefOf({ page: "compare", a, b })}>
          Compare
        </a>
      ) : (
        <p class="quiet">Select two runs to compare them.</p>
      )}
    </form>
  );
}

const groupIn = (value: string): RunGroup => runGroups.find((name) => name === value) ?? "nothing";
