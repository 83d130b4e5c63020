import type { ComponentChildren, JSX } from "preact";
import { costText, count, duration, tokens } from "../../views/number-text.ts";
import { aboutText, outcomeKey, type RunLine } from "../../views/run-line.ts";
import { OutcomePill } from "../parts/outcome-pill.tsx";
import { phaseColor } from "../parts/phase-color.ts";
import type { KnownRun } from "../sources/source.ts";
import { StartTime } from "../parts/start-time.tsx";

/** The column that sorts the table, and its direction. */
export interface RunSort {
  readonly by: number;
  readonly down: boolean;
}

/** A column of the table. */
export interface RunColumn {
  readonly name: string;
  readonly read: (line: RunLine) => string | number;
  readonly show: (line: RunLine, href: string) => ComponentChildren;
  readonly number?: boolean;
}

/** The columns of the table, in their order. */
export const COLUMNS: readonly RunColumn[] = [
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

function RunName({ line, href }: { readonly line: RunLine; readonly href: string }): JSX.Element {
  const about = aboutText(line);
  return (
    <>
      <a href={href} title={line.title}>
        {line.title}
      </a>
      {about === "" ? null : <small>{about}</small>}
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
