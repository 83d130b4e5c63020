import type { JSX } from "preact";
import { costText, duration, percent, tokens } from "../../views/number-text.ts";
import type { SpendRow } from "../../views/overview.ts";
import { phaseColor } from "./phase-color.ts";

interface Measure {
  readonly name: string;
  readonly weigh: (row: SpendRow) => number;
  readonly show: (row: SpendRow) => string;
}

const MEASURES: readonly Measure[] = [
  { name: "Time", weigh: ({ elapsedMs }) => elapsedMs, show: ({ elapsedMs }) => duration(elapsedMs) },
  { name: "Tokens", weigh: allTokens, show: (row) => tokens(allTokens(row)) },
  { name: "Cost", weigh: ({ cost = 0 }) => cost, show: costText },
];

/** One bar for each known measure, divided by phase. */
export function SpendBars({ rows }: { readonly rows: readonly SpendRow[] }): JSX.Element {
  return (
    <div class="spend-bars">
      {MEASURES.map((measure) => ({ measure, all: rows.reduce((sum, row) => sum + measure.weigh(row), 0) }))
        .filter(({ all }) => all > 0)
        .map(({ measure: { name, weigh, show }, all }) => {
          const parts = rows.filter((row) => weigh(row) > 0);
          const text = parts.map((row) => `${row.phase} ${show(row)}, ${percent(weigh(row) / all)}`);
          return (
            <div key={name}>
              <span aria-hidden="true">{name}</span>
              <span class="spend-bar" role="img" aria-label={`${name} by phase: ${text.join("; ")}`}>
                {parts.map((row, index) => (
                  <i
                    key={row.phase}
                    title={text[index]}
                    style={{ flexGrow: weigh(row) / all, background: phaseColor(row.phase) }}
                  />
                ))}
              </span>
            </div>
          );
        })}
    </div>
  );
}

function allTokens({ inputTokens = 0, outputTokens = 0 }: SpendRow): number {
  return inputTokens + outputTokens;
}
