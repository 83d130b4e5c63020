import type { ComponentChildren, JSX } from "preact";
import { costText, count, duration, tokens } from "../../views/number-text.ts";
import { outcomeKey, type RunLine } from "../../views/run-line.ts";
import { OutcomePill } from "../parts/outcome-pill.tsx";
import { phaseColor } from "../parts/phase-color.ts";
import { hrefOf } from "../route.ts";
import type { KnownRun } from "../sources/source.ts";
import { StartTime } from "../parts/start-time.tsx";

/** The column that sorts the table, and its direction. */
export interface RunSort {
  readonly by: number;
  readonly down: boolean;
}

interface RunColumn {
  readonly name: string;
  readonly read: (line: RunLine) => string | number;
  readonly show: (line: RunLine, href: string) => ComponentChildren;
  readonly number?: boolean;
}

const COLUMNS: readonly RunColumn[] = [
  { name: "Run", read: ({ title }) => title, show: (line, href) => <RunName line={line} href={href} /> },
  {
    name: "Outcome",
    read: outcomeKey,
    show: (line) => <OutcomePill line={line} />,
  },
  { name: "Phases", read: ({ phases }) => phases.length, show: ({ phases }) => <PhaseStrip phases={phases} /> },
  {
    name: "Time",
    read: ({ elapsed }) => elapsed,
    show: ({ elapsed }) => (elapsed === 0 ? "–" : duration(elapsed)),
    number: true,
  },
  { name: "Calls", read: ({ calls }) => calls, show: ({ calls }) => count(calls), number: true },
  {
    name: "Wasted",
    read: ({ wastedCalls }) => wastedCalls,
    show: ({ wastedCalls }) => count(wastedCalls),
    number: true,
  },
  {
    name: "Loops",
    read: ({ loops = -1 }) => loops,
    show: ({ loops }) => (loops === undefined ? "–" : count(loops)),
    number: true,
  },
  {
    name: "Tokens",
    read: ({ tokens: known = -1 }) => known,
    show: ({ tokens: known }) => (known === undefined ? "–" : tokens(known)),
    number: true,
  },
  {
    name: "Cost",
    read: ({ cost = -1 }) => cost,
    show: (line) => (line.cost === undefined && line.unpricedCalls > 0 ? "–" : costText(line)),
    number: true,
  },
  {
    name: "Started",
    read: ({ startedAt }) => startedAt,
    show: (line) => <StartTime at={line.startedAt} />,
    number: true,
  },
];

/** The newest run first. */
export const FIRST_SORT: RunSort = { by: COLUMNS.length - 1, down: true };

/** Sorts runs by a column. */
export function sortRuns(runs: readonly KnownRun[], { by, down }: RunSort): readonly KnownRun[] {
  const read = COLUMNS[by]?.read ?? (() => 0);
  const order = (a: KnownRun, b: KnownRun): number => {
    const [left, right] = [read(a.line), read(b.line)];
    return left < right ? -1 : left > right ? 1 : 0;
  };
  return runs.toSorted(down ? (a, b) => order(b, a) : order);
}

/** The table of runs. On a small screen a row becomes a card. */
export function RunTable({
  runs,
  sort,
  onSort,
  picked,
  onPick,
}: {
  readonly runs: readonly KnownRun[];
  readonly sort: RunSort;
  readonly onSort: (sort: RunSort) => void;
  /** The runs to compare. */
  readonly picked: readonly string[];
  readonly onPick: (picked: readonly string[]) => void;
}): JSX.Element {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Runs">
      <table class="runs">
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
                  onClick={() => onSort({ by: index, down: sort.by === index ? !sort.down : number === true })}
                >
                  {name}
                  {sort.by === index ? (sort.down ? " ↓" : " ↑") : ""}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {runs.map(({ line, href }) => (
            <tr key={line.run}>
              <td class="pick">
                {href === undefined ? (
                  <input
                    type="checkbox"
                    aria-label={`Compare ${line.title}`}
                    checked={picked.includes(line.run)}
                    onChange={({ currentTarget: { checked } }) =>
                      onPick(checked ? [...picked, line.run].slice(-2) : picked.filter((run) => run !== line.run))
                    }
                  />
                ) : null}
              </td>
              {COLUMNS.map(({ name, show, number }) => (
                <td key={name} data-name={name} class={number === true ? "number" : name.toLowerCase()}>
                  {show(line, href ?? hrefOf({ page: "run", run: line.run }))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RunName({ line, href }: { readonly line: RunLine; readonly href: string }): JSX.Element {
  const about = [line.source, line.models?.join(", ")].filter((part) => part !== undefined && part !== "");
  return (
    <>
      <a href={href} title={line.title}>
        {line.title}
      </a>
      {about.length === 0 ? null : <small>{about.join(" · ")}</small>}
    </>
  );
}

function PhaseStrip({ phases }: Pick<RunLine, "phases">): JSX.Element {
  return (
    <span class="phase-strip" role="img" aria-label={phases.map(({ phase }) => phase).join(", ")}>
      {phases.map(({ phase, share, failed }, index) => (
        <i
          key={index}
          class={failed ? "failed" : undefined}
          title={phase}
          style={{ flexGrow: Math.max(0.02, share), background: phaseColor(phase) }}
        />
      ))}
    </span>
  );
}
