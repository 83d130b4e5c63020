import type { ComponentChildren, JSX } from "preact";
import { useContext, useState } from "preact/hooks";
import { plural } from "../../views/number-text.ts";
import { checkGroups, type CheckRow, type FileRow, type WorkRows } from "../../views/work/work-rows.ts";
import { DiffView } from "../parts/diff-view.tsx";
import { MarkIcon } from "../parts/mark-icon.tsx";
import { SharedPage } from "../parts/shared-page.ts";
import { hrefOf } from "../route.ts";

/** Rows shown at first. */
const FIRST = 12;

/** The last words of the agent beside the output that says otherwise. */
export function ClaimSection({ work: { contradiction }, run }: WorkProps): JSX.Element | null {
  const isShared = useContext(SharedPage);
  if (contradiction === undefined || isShared) return null;
  const { claim, seq, check, why = "The agent's last words, and the last check" } = contradiction;
  return (
    <section class="card claim" aria-labelledby="claim-title">
      <h2 id="claim-title">{why}</h2>
      <div class="claim-sides">
        <figure>
          <figcaption>
            The agent said <EventLink run={run} seq={seq} />
          </figcaption>
          <blockquote>{claim}</blockquote>
        </figure>
        <figure>
          <figcaption>
            {check.title} printed <EventLink run={run} seq={check.seq} />
          </figcaption>
          <CheckOutput check={check} />
        </figure>
      </div>
    </section>
  );
}

interface WorkProps {
  readonly work: WorkRows;
  readonly run: string;
}

/** The work: each changed file with its diffs, each check with its output. */
export function WorkSection({ work: { files, checks }, run }: WorkProps): JSX.Element {
  return (
    <>
      <Part id="files" title="Files changed" note={plural(files.length, "file")} rows={files}>
        {(file) => <FileItem key={file.path} file={file} run={run} />}
      </Part>
      <Part id="checks" title="Checks" note={checkNote(checks)} rows={checkGroups(checks)}>
        {({ row, times }) => <CheckItem key={row.seq} check={row} times={times} run={run} />}
      </Part>
    </>
  );
}

function checkNote(checks: readonly CheckRow[]): string {
  const failed = checks.filter(({ verdict }) => verdict === "fail").length;
  return `${plural(checks.length, "check")}${failed === 0 ? "" : `, ${String(failed)} failed`}`;
}

function Part<T>({
  id,
  title,
  note,
  rows,
  children,
}: {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly rows: readonly T[];
  readonly children: (row: T) => JSX.Element;
}): JSX.Element | null {
  const [whole, setWhole] = useState(false);
  if (rows.length === 0) return null;
  return (
    <section class="card work" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        {title} <span class="quiet">{note}</span>
      </h2>
      {(whole ? rows : rows.slice(0, FIRST)).map(children)}
      {whole || rows.length <= FIRST ? null : (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {rows.length}
        </button>
      )}
    </section>
  );
}

/** A row that opens. What is inside is drawn when it is opened: a run may have hundreds of diffs. */
function Fold({
  head,
  children,
}: {
  readonly head: ComponentChildren;
  readonly children: () => JSX.Element;
}): JSX.Element {
  const [open, setOpen] = useState(false);
  if (useContext(SharedPage)) return <div class="work-row">{head}</div>;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{head}</summary>
      {open ? children() : null}
    </details>
  );
}

function FileItem({ file, run }: { readonly file: FileRow; readonly run: string }): JSX.Element {
  const { path, shortPath, kind, added, removed, edits } = file;
  return (
    <Fold
      head={
        <>
          <code title={path}>{shortPath}</code>
          <span class="quiet">{kind}</span>
          {added + removed === 0 ? null : (
            <span class="counts">
              <span class="added">+{added}</span> <span class="removed">−{removed}</span>
            </span>
          )}
        </>
      }
    >
      {() => (
        <>
          {edits.map(({ seq, lines, command }) => (
            <figure key={seq} class="edit">
              <figcaption>
                <EventLink run={run} seq={seq} />
                {command === undefined ? null : ", changed by a command"}
              </figcaption>
              {lines.length > 0 ? <DiffView lines={lines} /> : null}
              {command === undefined ? null : <pre tabIndex={0}>{command}</pre>}
              {lines.length === 0 && command === undefined ? (
                <p class="quiet">The log does not tell what changed.</p>
              ) : null}
            </figure>
          ))}
          {edits.length === 0 ? <p class="quiet">Changed by a command; the log has no diff.</p> : null}
        </>
      )}
    </Fold>
  );
}

const MARKS = { pass: "tests-pass", fail: "tests-fail", unknown: "review" } as const;
const WORDS = { pass: "passed", fail: "failed", unknown: "result unknown" } as const;

function CheckItem({
  check,
  times,
  run,
}: {
  /** The newest of those that say the same. */
  readonly check: CheckRow;
  readonly times: number;
  readonly run: string;
}): JSX.Element {
  const { seq, kind, verdict, title, counts } = check;
  return (
    <Fold
      head={
        <>
          <MarkIcon kind={MARKS[verdict]} />
          <code title={title}>{title}</code>
          {times === 1 ? null : <b class="times">{`${String(times)} ×`}</b>}
          <span class="quiet">{`${kind} ${WORDS[verdict]}${counts === "" ? "" : `, ${counts}`}`}</span>
        </>
      }
    >
      {() => (
        <>
          <p class="quiet">
            <EventLink run={run} seq={seq} />
          </p>
          <CheckOutput check={check} />
        </>
      )}
    </Fold>
  );
}

function CheckOutput({ check: { failures, output } }: { readonly check: CheckRow }): JSX.Element {
  return (
    <>
      {failures.length === 0 ? null : <pre class="failures">{failures.join("\n")}</pre>}
      <pre tabIndex={0}>{output === "" ? "It printed nothing." : output}</pre>
    </>
  );
}

const EventLink = ({ run, seq }: { readonly run: string; readonly seq: number }): JSX.Element => (
  <a href={hrefOf({ page: "run", run, seq })}>{`event ${String(seq)}`}</a>
);
