import type { JSX } from "preact";
import { costText, count, duration, plural, tokens } from "../../views/number-text.ts";
import { outcomeKey, type RunLine } from "../../views/run-line.ts";

/** The sums of all runs, and how they ended as one bar. */
export function FolderSums({
  lines,
  onPick,
}: {
  readonly lines: readonly RunLine[];
  /** Called with the outcome a reader clicks. */
  readonly onPick: (words: string) => void;
}): JSX.Element {
  const sum = (read: (line: RunLine) => number | undefined): number =>
    lines.reduce((total, line) => total + (read(line) ?? 0), 0);
  const graded = (wanted: string): number => lines.filter(({ grade }) => grade === wanted).length;
  const priced = lines.filter(({ cost }) => cost !== undefined).length;
  const calls = sum((line) => line.calls);
  const outcomes = countOutcomes(lines);
  const tiles: readonly (readonly [name: string, value: string, note: string])[] = [
    ["Runs", count(lines.length), `${count(lines.filter(({ loops = 0 }) => loops > 0).length)} with loops`],
    [
      "Proven",
      count(graded("proven")),
      `and ${count(graded("supported"))} supported, of ${plural(lines.length, "run")}`,
    ],
    ["Active time", duration(sum(({ elapsed }) => elapsed)), plural(calls, "call")],
    ["Tokens", tokens(sum((line) => line.tokens)), missingText(lines, ({ tokens: known }) => known === undefined)],
    [
      "Cost",
      costText({
        ...(priced > 0 && { cost: sum((line) => line.cost) }),
        unpricedCalls: sum(({ unpricedCalls }) => unpricedCalls),
      }),
      missingText(lines, ({ cost, unpricedCalls }) => cost === undefined && unpricedCalls > 0),
    ],
    ["Wasted calls", count(sum(({ wastedCalls }) => wastedCalls)), `of ${plural(calls, "call")}`],
  ];
  return (
    <section aria-label="Sums" class="sums">
      <dl class="tiles">
        {tiles.map(([name, value, note]) => (
          <div key={name} class="card">
            <dt>{name}</dt>
            <dd>
              <strong>{value}</strong>
              <span class="quiet">{note}</span>
            </dd>
          </div>
        ))}
      </dl>
      <div class="card outcomes">
        <h2>How the runs ended</h2>
        <div class="outcome-bar" aria-hidden="true">
          {outcomes.map(({ words, tone, times }) => (
            <i key={words} class={`tone-${tone}`} style={{ flexGrow: times }} title={`${words}: ${String(times)}`} />
          ))}
        </div>
        <ul>
          {outcomes.map(({ words, tone, times }) => (
            <li key={words}>
              <button type="button" class={`plain tone-${tone}`} onClick={() => onPick(words)}>
                <i />
                {words} <b>{count(times)}</b>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

function missingText(lines: readonly RunLine[], isUnknown: (line: RunLine) => boolean): string {
  const missing = lines.filter(isUnknown).length;
  return missing === 0 ? "" : `not known for ${plural(missing, "run")}`;
}

function countOutcomes(
  lines: readonly RunLine[],
): readonly { readonly words: string; readonly tone: RunLine["tone"]; readonly times: number }[] {
  const counts = new Map<string, { readonly words: string; readonly tone: RunLine["tone"]; readonly times: number }>();
  for (const line of lines) {
    const { tone } = line;
    const words = line.word.replaceAll("_", " ");
    counts.set(outcomeKey(line), { words, tone, times: (counts.get(outcomeKey(line))?.times ?? 0) + 1 });
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, outcome]) => outcome);
}
