import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { duration, money, plural, tokens } from "../views/number-text.ts";
import type { RunLine } from "../views/run-line.ts";
import { stateWords } from "../views/state-words.ts";
import { phaseColor } from "./phase-color.ts";
import { hrefOf } from "./route.ts";
import type { KnownRun } from "./source.ts";

interface SortColumn {
  readonly name: string;
  readonly read: (line: RunLine) => string | number;
  readonly number?: boolean;
}

const COLUMNS: readonly SortColumn[] = [
  { name: "Run", read: ({ title }) => title },
  { name: "Outcome", read: ({ state }) => stateWords[state].words },
  { name: "Reason", read: ({ reason }) => reason ?? "" },
  { name: "Verified", read: ({ verified }) => (verified ? "yes" : "no") },
  { name: "Phases", read: ({ phases }) => phases.length },
  { name: "Time", read: ({ elapsed }) => elapsed, number: true },
  { name: "Calls", read: ({ calls }) => calls, number: true },
  { name: "Loops", read: ({ loops }) => loops, number: true },
  { name: "Wasted calls", read: ({ wastedCalls }) => wastedCalls, number: true },
  { name: "Tokens", read: ({ tokens: count }) => count ?? -1, number: true },
  { name: "Started", read: ({ startedAt }) => startedAt, number: true },
];

/** The page of many runs: charts, and a table to sort and filter. */
export function FolderPage({
  title,
  runs,
}: {
  readonly title: string;
  readonly runs: readonly KnownRun[];
}): JSX.Element {
  const [sort, setSort] = useState<{ readonly by: number; readonly down: boolean }>({
    by: COLUMNS.length - 1,
    down: true,
  });
  const [words, setWords] = useState("");
  const [picked, setPicked] = useState<readonly string[]>([]);
  const shown = useMemo(
    () =>
      sorted(
        runs.filter(({ line }) => matches(line, words)),
        sort,
      ),
    [runs, words, sort],
  );
  const [a, b] = picked;
  return (
    <>
      <header class="head">
        <h1>{title}</h1>
        <p>{totalsText(runs)}</p>
      </header>
      {runs.length > 0 ? null : <EmptyFolder />}
      <div class="charts">
        <Bars title="How the runs ended" counts={countBy(runs, ({ state }) => stateWords[state].words)} />
        <Bars title="Reasons" counts={countBy(runs, ({ reason, state }) => reason ?? state)} />
      </div>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <label>
          Filter
          <input
            id="search"
            type="search"
            placeholder="title, outcome, reason, phase"
            value={words}
            onInput={({ currentTarget: { value } }) => setWords(value)}
          />
        </label>
        <p role="status" class="quiet">{`${String(shown.length)} of ${plural(runs.length, "run")}`}</p>
        {a !== undefined && b !== undefined ? (
          <a class="button" href={hrefOf({ page: "compare", a, b })}>
            Compare
          </a>
        ) : (
          <p class="quiet">Select two runs to compare them.</p>
        )}
      </form>
      <div class="scroll" tabIndex={0} role="region" aria-label="Runs">
        <table>
          <caption>Runs</caption>
          <thead>
            <tr>
              <th scope="col">
                <span class="hidden">Compare</span>
              </th>
              {COLUMNS.map(({ name, number }, index) => (
                <th
                  key={name}
                  scope="col"
                  class={number === true ? "number" : undefined}
                  aria-sort={sort.by === index ? (sort.down ? "descending" : "ascending") : "none"}
                >
                  <button
                    type="button"
                    onClick={() => setSort({ by: index, down: sort.by === index ? !sort.down : number === true })}
                  >
                    {name}
                    {sort.by === index ? (sort.down ? " ↓" : " ↑") : ""}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ line, href }) => (
              <tr key={line.run}>
                <td>
                  {href === undefined ? (
                    <input
                      type="checkbox"
                      aria-label={`Compare ${line.title}`}
                      checked={picked.includes(line.run)}
                      onChange={({ currentTarget: { checked } }) =>
                        setPicked(checked ? [...picked, line.run].slice(-2) : picked.filter((run) => run !== line.run))
                      }
                    />
                  ) : null}
                </td>
                <td class="title">
                  <a href={href ?? hrefOf({ page: "run", run: line.run })}>{line.title}</a>
                </td>
                <td>
                  <span class={`state tone-${stateWords[line.state].tone}`}>{stateWords[line.state].words}</span>
                </td>
                <td>{line.reason ?? ""}</td>
                <td>{line.verified ? "yes" : "no"}</td>
                <td>
                  <span class="phase-strip" role="img" aria-label={line.phases.map(({ phase }) => phase).join(", ")}>
                    {line.phases.map(({ phase, share, failed }, index) => (
                      <i
                        key={index}
                        class={failed ? "failed" : undefined}
                        title={phase}
                        style={{ flexGrow: Math.max(0.02, share), background: phaseColor(phase) }}
                      />
                    ))}
                  </span>
                </td>
                <td class="number">{duration(line.elapsed)}</td>
                <td class="number">{line.calls}</td>
                <td class="number">{line.loops}</td>
                <td class="number">{line.wastedCalls}</td>
                <td class="number">{line.tokens === undefined ? "?" : tokens(line.tokens)}</td>
                <td class="number">{new Date(line.startedAt).toISOString().slice(0, 16).replace("T", " ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function totalsText(runs: readonly KnownRun[]): string {
  const sum = (read: (line: RunLine) => number | undefined): number =>
    runs.reduce((total, { line }) => total + (read(line) ?? 0), 0);
  const cost = sum((line) => line.cost);
  return [
    plural(runs.length, "run"),
    `${String(runs.filter(({ line }) => line.verified).length)} verified`,
    `${String(runs.filter(({ line }) => line.loops > 0).length)} with alerts`,
    plural(
      sum(({ calls }) => calls),
      "call",
    ),
    `${tokens(sum((line) => line.tokens))} tokens`,
    ...(cost > 0 ? [money(cost)] : []),
  ].join(" · ");
}

/** Says how a run gets here. */
function EmptyFolder(): JSX.Element {
  return (
    <div class="empty">
      <p>No run is stored here yet. A run appears on this page as soon as it starts:</p>
      <ul>
        <li>
          in your own agent: <code>codingRun({"{ keep: true }"})</code>
        </li>
        <li>
          in Claude Code, Codex and others: <code>npx phasekit init claude-code</code>
        </li>
        <li>
          without an agent: <code>npx phasekit demo --keep .phasekit/runs</code>
        </li>
      </ul>
    </div>
  );
}

function matches(line: RunLine, words: string): boolean {
  const { title, run, state, reason = "", verified, phases } = line;
  const text = [title, run, state, reason, verified ? "verified" : "", ...phases.map(({ phase }) => phase)]
    .join(" ")
    .toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function sorted(
  runs: readonly KnownRun[],
  { by, down }: { readonly by: number; readonly down: boolean },
): readonly KnownRun[] {
  const read = COLUMNS[by]?.read ?? (() => 0);
  const order = (a: KnownRun, b: KnownRun): number => {
    const [left, right] = [read(a.line), read(b.line)];
    return left < right ? -1 : left > right ? 1 : 0;
  };
  return runs.toSorted(down ? (a, b) => order(b, a) : order);
}

function countBy(runs: readonly KnownRun[], read: (line: RunLine) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { line } of runs) counts.set(read(line), (counts.get(read(line)) ?? 0) + 1);
  return counts;
}

function Bars({
  title,
  counts,
}: {
  readonly title: string;
  readonly counts: ReadonlyMap<string, number>;
}): JSX.Element {
  const most = Math.max(1, ...counts.values());
  return (
    <figure class="bars">
      <figcaption>{title}</figcaption>
      <dl>
        {[...counts]
          .sort(([, a], [, b]) => b - a)
          .slice(0, 10)
          .map(([name, count]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <i style={{ width: `${String((count / most) * 100)}%` }} />
                <span>{count}</span>
              </dd>
            </div>
          ))}
      </dl>
    </figure>
  );
}
