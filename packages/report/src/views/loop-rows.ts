import { severityRank } from "@phasekit/core/account";
import type { Json, RunEvent, Severity } from "@phasekit/core";
import { shownText, signatureText } from "./shown-text.ts";

/** One loop or other alert, from start to end. */
export interface LoopRow {
  readonly kind: string;
  readonly signature: string;
  readonly policy: string;
  readonly severity: Severity;
  /** The highest count. */
  readonly count: number;
  readonly subject: string;
  readonly evidence?: string;
  /** The first and the last event that raised it. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly phase: string;
  /** Cleared, or still open at the end of the run. */
  readonly ended: "cleared" | "open";
}

/** Returns one row per alert, in order of their start. */
export function loopRows(events: readonly RunEvent[]): readonly LoopRow[] {
  const rows: LoopRow[] = [];
  const open = new Map<string, number>();
  let phase = "";
  for (const event of events) {
    if (event.type === "run.started") phase = event.phase;
    else if (event.type === "phase.transition" || event.type === "phase.rolled-back") phase = event.to;
    else if (event.type === "alert.raised") {
      const key = keyOf(event);
      const index = open.get(key);
      const known = index === undefined ? undefined : rows[index];
      if (index !== undefined && known !== undefined) rows[index] = renewed(known, event);
      else {
        open.set(key, rows.length);
        rows.push(opened(event, phase));
      }
    } else if (event.type === "alert.cleared") {
      const index = open.get(keyOf(event));
      const row = index === undefined ? undefined : rows[index];
      if (index !== undefined && row !== undefined)
        rows[index] = { ...row, ended: "cleared", lastSeq: Math.max(row.lastSeq, event.seq) };
      open.delete(keyOf(event));
    }
  }
  return rows;
}

type AlertEvent = Extract<RunEvent, { readonly type: "alert.raised" }>;

const keyOf = ({
  by,
  kind,
  signature,
}: {
  readonly by: string;
  readonly kind: string;
  readonly signature: string;
}): string => JSON.stringify([by, kind, signature]);

function opened(event: AlertEvent, phase: string): LoopRow {
  const evidence = evidenceText(event.evidence);
  return {
    kind: event.kind,
    signature: shownText(event.signature),
    policy: event.by,
    severity: event.severity,
    count: event.count,
    subject: signatureText(event.subject ?? event.signature),
    ...(evidence !== undefined && { evidence }),
    firstSeq: event.seq,
    lastSeq: event.seq,
    phase,
    ended: "open",
  };
}

function renewed(row: LoopRow, event: AlertEvent): LoopRow {
  const evidence = evidenceText(event.evidence) ?? row.evidence;
  return {
    ...row,
    count: Math.max(row.count, event.count),
    severity: severityRank(event.severity) > severityRank(row.severity) ? event.severity : row.severity,
    ...(evidence !== undefined && { evidence }),
    lastSeq: event.seq,
  };
}

function evidenceText(evidence: Json | undefined): string | undefined {
  if (evidence === undefined || evidence === null) return undefined;
  if (typeof evidence !== "object" || Array.isArray(evidence)) return shownText(evidence, 300);
  // Skip flags and empty texts: they are for the policy.
  const shown = Object.entries(evidence).filter(
    ([, value]) => value !== null && value !== "" && typeof value !== "boolean",
  );
  return shown.length === 0
    ? undefined
    : shownText(
        shown
          .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
          .join("; "),
        300,
      );
}
