import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { EventRow } from "../../views/event-rows.ts";
import type { RowFilter } from "../../views/filter-rows.ts";

/** Search and filters for the event list. */
export function FilterBar({
  rows,
  version,
  filter,
  onChange,
}: {
  readonly rows: readonly EventRow[];
  /** Changes when rows are added: the list grows in place. */
  readonly version: number;
  readonly filter: RowFilter;
  readonly onChange: (filter: RowFilter) => void;
}): JSX.Element {
  const choices = useMemo(
    () => ({
      phase: distinct(rows, ({ phase }) => phase),
      tool: distinct(rows, ({ tool }) => tool),
      outcome: distinct(rows, ({ outcome }) => outcome),
    }),
    [version],
  );
  const select = (name: "phase" | "tool" | "outcome", label: string): JSX.Element => (
    <label>
      {label}
      <select
        value={filter[name] ?? ""}
        onChange={({ currentTarget: { value } }) => {
          const { [name]: _before, ...rest } = filter;
          onChange(value === "" ? rest : { ...rest, [name]: value });
        }}
      >
        <option value="">all</option>
        {choices[name].map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <input
        id="search"
        type="search"
        aria-label="Search"
        placeholder="Search words or #event (press /)"
        value={filter.text ?? ""}
        onInput={({ currentTarget: { value } }) => onChange({ ...filter, text: value })}
      />
      {select("phase", "Phase")}
      {select("tool", "Tool")}
      {select("outcome", "Outcome")}
      <label class="check">
        <input
          type="checkbox"
          checked={filter.findings === true}
          onChange={({ currentTarget: { checked } }) => onChange({ ...filter, findings: checked })}
        />{" "}
        Only findings
      </label>
    </form>
  );
}

const MAX_CHOICES = 200;

function distinct(rows: readonly EventRow[], read: (row: EventRow) => string | undefined): readonly string[] {
  const found = new Set<string>();
  for (const row of rows) {
    const value = read(row);
    if (value !== undefined && value !== "") found.add(value);
    if (found.size >= MAX_CHOICES) break;
  }
  return [...found].sort();
}
