import type { JSX } from "preact";
import { duration, plural, tokens } from "../../views/number-text.ts";
import type { SpendRow } from "../../views/overview.ts";
import { phaseColor } from "../parts/phase-color.ts";
import { PhaseName } from "../parts/phase-name.tsx";

/** Two runs side by side, phase by phase: one bar each, as long as the time it took. */
export function PhasePairs({
  left,
  right,
}: {
  readonly left: readonly SpendRow[];
  readonly right: readonly SpendRow[];
}): JSX.Element {
  const phases = [...new Set([...left, ...right].map(({ phase }) => phase))];
  const most = Math.max(1, ...[...left, ...right].map(weight));
  return (
    <dl class="pairs">
      {phases.map((phase) => (
        <div key={phase}>
          <dt>
            <PhaseName phase={phase} />
          </dt>
          {[["A", left] as const, ["B", right] as const].map(([name, rows]) => {
            const row = rows.find((candidate) => candidate.phase === phase);
            return (
              <dd key={name}>
                <span>{name}</span>
                <i
                  style={{
                    width: `${String(row === undefined ? 0 : Math.max(0.5, (weight(row) / most) * 55))}%`,
                    background: phaseColor(phase),
                  }}
                />
                <small>{row === undefined ? "not visited" : rowText(row)}</small>
              </dd>
            );
          })}
        </div>
      ))}
    </dl>
  );
}

/** Time, or turns in a log without usable times. */
function weight({ elapsedMs, turns }: SpendRow): number {
  return elapsedMs > 0 ? elapsedMs : turns;
}

function rowText({ elapsedMs, turns, calls, failedCalls, inputTokens, outputTokens }: SpendRow): string {
  return [
    ...(elapsedMs > 0 ? [duration(elapsedMs)] : []),
    plural(turns, "turn"),
    `${plural(calls, "call")}${failedCalls === 0 ? "" : `, ${String(failedCalls)} failed`}`,
    ...(inputTokens === undefined && outputTokens === undefined
      ? []
      : [`${tokens((inputTokens ?? 0) + (outputTokens ?? 0))} tokens`]),
  ].join(", ");
}
