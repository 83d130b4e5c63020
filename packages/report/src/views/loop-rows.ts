import { severityRank } from "@phasekit/core/account";
import type { EventOf, RunEvent, Severity } from "@phasekit/core";
import type { RunStory } from "@phasekit/ledger/story";
import { shownText, signatureText } from "./shown-text.ts";

/** One loop, wait or other alert, from start to end. */
export interface LoopRow {
  readonly kind: string;
  readonly severity: Severity;
  readonly count: number;
  readonly subject: string;
  /** Where it was noticed first and last. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly phase: string;
  /** Over, or still open at the end of the run. */
  readonly ended: "over" | "open";
}

/** Returns the loops and waits of a run as its story tells them, and one row per alert outside of them. */
export function loopRows({ loops, waits }: RunStory, events: readonly RunEvent[]): readonly LoopRow[] {
  const ranges = [...loops, ...waits].map(
    ({ kind, severity, count, what, firstSeq, lastSeq, phase, open }): LoopRow => ({
      ...{ kind, severity, count, firstSeq, lastSeq, phase },
      subject: shownText(what, 300),
      ended: open ? "open" : "over",
    }),
  );
  const isTold = ({ seq }: EventOf<"alert.raised">): boolean =>
    ranges.some(({ firstSeq, lastSeq }) => seq >= firstSeq && seq <= lastSeq);
  return [...ranges, ...otherAlerts(events, isTold)].sort((a, b) => a.firstSeq - b.firstSeq);
}

function otherAlerts(
  events: readonly RunEvent[],
  isTold: (event: EventOf<"alert.raised">) => boolean,
): readonly LoopRow[] {
  const rows = new Map<string, LoopRow>();
  const open = new Map<string, string>();
  let phase = "";
  for (const event of events) {
    if (event.type === "run.started") phase = event.phase;
    else if (event.type === "phase.transition" || event.type === "phase.rolled-back") phase = event.to;
    else if (event.type === "alert.raised" && !isTold(event)) {
      const key = open.get(keyOf(event)) ?? `${keyOf(event)} ${String(event.seq)}`;
      open.set(keyOf(event), key);
      rows.set(key, renewed(rows.get(key), event, phase));
    } else if (event.type === "alert.cleared") {
      const key = open.get(keyOf(event)) ?? "";
      const row = rows.get(key);
      if (row !== undefined) rows.set(key, { ...row, ended: "over", lastSeq: event.seq });
      open.delete(keyOf(event));
    }
  }
  return [...rows.values()];
}

const keyOf = ({ by, kind, signature }: Pick<EventOf<"alert.raised">, "by" | "kind" | "signature">): string =>
  JSON.stringify([by, kind, signature]);

function renewed(row: LoopRow | undefined, event: EventOf<"alert.raised">, phase: string): LoopRow {
  const { kind, severity, count, subject, signature, seq } = event;
  if (row === undefined)
    return {
      ...{ kind, severity, count, phase },
      subject: signatureText(subject ?? signature),
      firstSeq: seq,
      lastSeq: seq,
      ended: "open",
    };
  const worse = severityRank(severity) > severityRank(row.severity) ? severity : row.severity;
  return { ...row, count: Math.max(row.count, count), severity: worse, lastSeq: seq };
}
