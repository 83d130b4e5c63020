import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { RowGroup } from "../../views/group-rows.ts";
import { count, plural } from "../../views/number-text.ts";
import type { MarkKind } from "../../views/timeline.ts";
import { MarkIcon } from "../parts/mark-icon.tsx";
import { hrefOf } from "../route.ts";

/** One finding: findings that say the same are one, with a count. */
export interface Finding {
  readonly mark: MarkKind;
  /** True if Phasekit only would have acted. */
  readonly idle?: boolean;
  readonly title: ComponentChildren;
  readonly text?: ComponentChildren;
  /** The consequence, in a few words. */
  readonly effect?: ComponentChildren;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly times: number;
}

/** Findings shown at first: thousands would slow the page down. */
const FIRST = 100;

/** A section of findings, each with its sign, its evidence and links to its events. */
export function FindingList({
  id,
  title,
  run,
  findings,
}: {
  readonly id: string;
  readonly title: string;
  readonly run: string;
  readonly findings: readonly Finding[];
}): JSX.Element | null {
  const [whole, setWhole] = useState(false);
  const shown = whole ? findings : findings.slice(0, FIRST);
  const link = (seq: number): JSX.Element => (
    <a href={hrefOf({ page: "run", run, seq })} aria-label={`Event ${String(seq)}`}>
      {seq}
    </a>
  );
  if (findings.length === 0) return null;
  return (
    <section aria-labelledby={`${id}-title`} class="card">
      <h2 id={`${id}-title`}>{title}</h2>
      <ol class="finding-list">
        {shown.map(({ mark, idle = false, title: name, text, effect, firstSeq, lastSeq, times }, index) => (
          <li key={`${String(firstSeq)}-${String(index)}`}>
            <MarkIcon kind={mark} idle={idle} />
            <div>
              <p class="finding-title">
                {name}
                {times === 1 ? null : <b class="times">{`${count(times)} ×`}</b>}
                {effect === undefined ? null : <span class="quiet">{effect}</span>}
              </p>
              {text === undefined ? null : <div class="finding-text">{text}</div>}
            </div>
            <span class="places">
              {link(firstSeq)}
              {firstSeq === lastSeq ? null : <> … {link(lastSeq)}</>}
            </span>
          </li>
        ))}
      </ol>
      {shown.length === findings.length ? null : (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {plural(findings.length, "finding")}
        </button>
      )}
    </section>
  );
}

/** Returns where a group of rows is, and how often. */
export function placesOf<T extends { readonly seq: number }>({
  row,
  last,
  times,
}: RowGroup<T>): Pick<Finding, "firstSeq" | "lastSeq" | "times"> {
  return { firstSeq: row.seq, lastSeq: last.seq, times };
}
