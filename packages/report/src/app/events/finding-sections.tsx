import type { ComponentChildren, JSX } from "preact";
import { groupRows } from "../../views/group-rows.ts";
import { plural, tokens } from "../../views/number-text.ts";
import type { NudgeRow } from "../../views/nudge-rows.ts";
import type { Overview } from "../../views/overview.ts";
import { policyHeading, verdictWord } from "../../views/policy-heading.ts";
import { type Finding, FindingList, placesOf } from "./finding-list.tsx";
import { InlineCode } from "../parts/inline-code.tsx";
import { SpendTable } from "../parts/spend-table.tsx";
import { hrefOf } from "../route.ts";
import type { KnownRun } from "../sources/source.ts";

/** The work, then alerts, gates, nudges and cost, each with its evidence. Empty sections share one line. */
export function FindingSections({
  overview,
  run,
  known,
  children,
}: {
  readonly overview: Overview;
  readonly run: string;
  /** The runs of the report, so that a sub-agent with a page of its own leads there. */
  readonly known: readonly KnownRun[];
  /** Sections about the work, before the findings. */
  readonly children: ComponentChildren;
}): JSX.Element {
  const alerts = alertFindings(overview);
  const gates = gateFindings(overview);
  const nudges = nudgeFindings(overview);
  const nothing = [
    ...(alerts.length === 0 ? ["no loops or other alerts"] : []),
    ...(gates.length === 0 ? ["no gate was checked"] : []),
    ...(nudges.length === 0 ? ["no nudges"] : []),
  ];
  return (
    <>
      <div class="findings">
        {children}
        <FindingList id="children" title="Sub-agents" run={run} findings={childFindings(overview, known)} />
        <FindingList id="loops" title="Loops and other alerts" run={run} findings={alerts} />
        <FindingList id="gates" title="Gates and reviews" run={run} findings={gates} />
        <FindingList id="nudges" title="Nudges" run={run} findings={nudges} />
      </div>
      {nothing.length === 0 ? null : <p class="quiet nothing">{sentence(nothing)}</p>}
      <SpendTable overview={overview} />
    </>
  );
}

function sentence(parts: readonly string[]): string {
  const text = parts.join(", ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function alertFindings({ loops }: Overview): readonly Finding[] {
  return groupRows(
    loops.map((row) => ({ ...row, seq: row.firstSeq })),
    ({ kind, subject, phase, ended }) => JSON.stringify([kind, subject, phase, ended]),
  ).map((group) => {
    const { kind, severity, subject, phase, ended, count } = group.row;
    return {
      ...placesOf(group),
      lastSeq: group.last.lastSeq,
      mark: "alert",
      title: (
        <span class={`severity-${severity}`} title={kind}>
          {policyHeading(kind)}
        </span>
      ),
      effect: [...(count > 1 ? [plural(count, "time")] : []), `in ${phase}`, ENDS[ended]].join(", "),
      text: <code>{subject}</code>,
    };
  });
}

function childFindings({ children }: Overview, known: readonly KnownRun[]): readonly Finding[] {
  return children.map(({ run, name, task, word, tone, phase, changed, calls, tokens: used, seq, lastSeq }) => {
    const page = known.find(({ line }) => line.run === run);
    const title = task ?? name;
    return {
      firstSeq: seq,
      lastSeq,
      times: 1,
      mark: "sub-agent",
      title: page === undefined ? title : <a href={page.href ?? hrefOf({ page: "run", run })}>{title}</a>,
      effect: (
        <>
          <span class={`verdict-word tone-${tone}`}>{word?.replaceAll("_", " ") ?? "at work"}</span>
          {[
            ...(phase === undefined ? [] : [`in ${phase}`]),
            ...(calls === 0 ? [] : [plural(calls, "call")]),
            ...(used === undefined ? [] : [`${tokens(used)} tokens`]),
          ].map((part) => ` · ${part}`)}
        </>
      ),
      ...(changed.length > 0 && {
        text: <InlineCode text={`changed ${changed.map((path) => `\`${path}\``).join(", ")}`} />,
      }),
    };
  });
}

const ENDS = { over: "then over", open: "to the end" } as const;

const BAD: ReadonlySet<string> = new Set(["fail", "rejected", "reject", "failed"]);
const GOOD: ReadonlySet<string> = new Set(["pass", "met", "approved", "approve"]);

function gateFindings({ gates }: Overview): readonly Finding[] {
  return groupRows(gates, ({ gate, verdict, text, held }) => JSON.stringify([gate, verdict, text, held])).map(
    (group) => {
      const { gate, verdict, text, held } = group.row;
      const tone = BAD.has(verdict) ? "bad" : GOOD.has(verdict) ? "good" : "plain";
      return {
        ...placesOf(group),
        mark: tone === "good" ? "tests-pass" : tone === "bad" ? "veto" : "review",
        idle: tone === "bad" && !held,
        title: <span title={gate}>{policyHeading(gate)}</span>,
        effect: (
          <>
            <span class={`verdict-word tone-${tone}`}>{verdictWord(verdict)}</span>
            {held ? " · blocked the run" : ""}
          </>
        ),
        ...(text !== undefined && { text: <InlineCode text={text} /> }),
      };
    },
  );
}

const EFFECTS: Readonly<Record<NudgeRow["effect"], string>> = {
  helped: "it helped",
  ignored: "it was ignored",
  lost: "it could not be delivered",
  open: "sent, no effect seen yet",
  guidance: "",
  "not sent": "not sent: Phasekit only watched",
};

function nudgeFindings({ nudges }: Overview): readonly Finding[] {
  return groupRows(
    nudges.filter(({ effect }) => effect !== "guidance"),
    ({ policy, text, effect, applied }) => JSON.stringify([policy, text, effect, applied]),
  ).map((group) => ({
    ...placesOf(group),
    mark: "nudge",
    idle: !group.row.applied,
    title: <span title={group.row.policy}>{policyHeading(group.row.policy)}</span>,
    effect: EFFECTS[group.row.effect],
    text: <InlineCode text={group.row.text} />,
  }));
}
