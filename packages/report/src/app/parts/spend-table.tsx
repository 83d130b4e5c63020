import type { JSX } from "preact";
import { costText, count, duration, plural, tokens } from "../../views/number-text.ts";
import type { Overview, SpendRow } from "../../views/overview.ts";
import { type Column, DataTable } from "./data-table.tsx";
import { PhaseName } from "./phase-name.tsx";

const TOTAL = "all";
/** Longer phase names get a wide column; the table then scrolls. */
const LONG_NAME = 20;

/** Cost and waste by phase. Columns without any known value are left out. */
export function SpendTable({ overview: { spend, prices } }: { readonly overview: Overview }): JSX.Element {
  const { rows, total } = spend;
  const known = (value: number | undefined): string => (value === undefined ? "–" : tokens(value));
  const columns: readonly (Column<SpendRow> & { readonly hide?: boolean })[] = [
    {
      name: "Phase",
      long: rows.some(({ phase }) => phase.length > LONG_NAME),
      show: ({ phase, entries }) =>
        phase === TOTAL ? (
          "Total"
        ) : (
          <PhaseName phase={phase} text={entries > 1 ? `${phase} (${String(entries)} ×)` : phase} />
        ),
    },
    { name: "Time", show: ({ elapsedMs }) => duration(elapsedMs), number: true, hide: total.elapsedMs === 0 },
    { name: "Turns", show: ({ turns }) => count(turns), number: true },
    { name: "Calls", show: ({ calls }) => count(calls), number: true },
    {
      name: "Failed",
      number: true,
      show: ({ failedCalls }) => (failedCalls === 0 ? "0" : <span class="failed">{count(failedCalls)}</span>),
    },
    { name: "Wasted calls", show: ({ wastedCalls }) => count(wastedCalls), number: true },
    {
      name: "Tokens in",
      show: ({ inputTokens }) => known(inputTokens),
      number: true,
      hide: total.inputTokens === undefined,
    },
    {
      name: "of them cached",
      show: ({ cachedTokens }) => known(cachedTokens),
      number: true,
      hide: total.cachedTokens === undefined,
    },
    {
      name: "Tokens out",
      show: ({ outputTokens }) => known(outputTokens),
      number: true,
      hide: total.outputTokens === undefined,
    },
    { name: "Cost", show: costText, number: true, hide: total.cost === undefined },
  ];
  return (
    <section aria-labelledby="spend-title" class="card spend">
      <h2 id="spend-title">Cost and waste by phase</h2>
      <DataTable
        caption="Cost and waste by phase"
        rows={rows}
        foot={total}
        keyOf={({ phase }) => phase}
        columns={columns.filter(({ hide }) => hide !== true)}
      />
      <p class="quiet notes">{notesOf(total, prices).join(" ")}</p>
    </section>
  );
}

function notesOf(total: SpendRow, prices: string | undefined): readonly string[] {
  const isTokenless = total.inputTokens === undefined && total.outputTokens === undefined;
  return [
    "A wasted call brought nothing new: an error, or a known answer.",
    ...(total.elapsedMs === 0 ? ["The log has no times."] : []),
    ...(isTokenless ? ["The log has no tokens."] : []),
    ...(total.cost === undefined && !isTokenless
      ? ["The cost is unknown: the log has none, and no price is known."]
      : []),
    ...(total.cost !== undefined && total.unpricedCalls > 0
      ? [`≥: ${plural(total.unpricedCalls, "model call")} without a known cost.`]
      : []),
    ...(prices === undefined ? [] : [`Cost at ${prices} where the log has none.`]),
  ];
}
