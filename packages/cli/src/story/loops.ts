import type { EventOf, Severity } from "@phasekit/core";
import { familyOf } from "@phasekit/watchdog";
import type { CallRing } from "./call-ring.ts";

/** A stretch of a run in which nothing moved. */
export interface Loop {
  /** The alert that says it best, such as `repeated-call`. */
  readonly kind: string;
  /** The first and the last call of it. */
  readonly from: number;
  readonly to: number;
  /** How often what repeats was met. */
  readonly count: number;
  /** What repeats. Foreign text. */
  readonly what: string;
  readonly severity: Severity;
  /** Spent from its first call to its last; absent when nobody knows. */
  readonly tokens?: number;
  /** The run ended in it. */
  readonly open: boolean;
}

/** Folds alerts into loops: alerts about the same stretch of calls are one loop. */
export interface LoopFold {
  readonly raise: (alert: EventOf<"alert.raised">) => void;
  readonly clear: (alert: EventOf<"alert.cleared">) => void;
  readonly get: () => readonly Loop[];
}

interface Draft {
  kind: string;
  from: number;
  to: number;
  count: number;
  what: string;
  severity: Severity;
  startTokens: number;
  endTokens: number;
  readonly alerts: Set<string>;
}

const RANK: Readonly<Record<Severity, number>> = { notice: 0, warning: 1, critical: 2 };
/** Kinds that name no single call: another alert about the same stretch says more. */
const VAGUE = new Set(["failure-rate", "failures-in-a-row", "stagnation", "cumulative-loop", "failing-tool"]);
const MAX_LOOPS = 50;

/** Tells loops from alerts; `tokens` is what the run has spent so far. */
export function createLoopFold({ ring, tokens }: { readonly ring: CallRing; readonly tokens: () => number | undefined }): LoopFold {
  const drafts: Draft[] = [];
  const here = (): number => Math.max(1, ring.count());

  function raise({ kind, signature, subject, count, severity, by }: EventOf<"alert.raised">): void {
    // A slow call or a failing provider is no loop of the agent's.
    if (familyOf(kind) === "outside") return;
    const fingerprint = subject ?? signature;
    const first = ring.firstOf(fingerprint, count) ?? (count > 1 ? ring.back(count - 1) : ring.last());
    const from = first?.call ?? here();
    const key = `${by}\n${kind}\n${signature}`;
    const found = drafts.find(({ to, alerts }) => alerts.has(key) || to >= from);
    const what = ring.find(fingerprint)?.what ?? "";
    if (found === undefined) {
      if (drafts.length < MAX_LOOPS) drafts.push({ kind, from, to: here(), count, what, severity, startTokens: first?.tokensBefore ?? 0, endTokens: tokens() ?? 0, alerts: new Set([key]) });
      return;
    }
    found.alerts.add(key);
    extend(found);
    if (from < found.from) Object.assign(found, { from, startTokens: first?.tokensBefore ?? found.startTokens });
    const better = (found.what === "" && what !== "") || (!(found.what !== "" && what === "") && score(kind, count) > score(found.kind, found.count));
    if (better) Object.assign(found, { kind, count, ...(what !== "" && { what }) });
    if (RANK[severity] > RANK[found.severity]) found.severity = severity;
  }

  function clear({ kind, signature, by }: EventOf<"alert.cleared">): void {
    const key = `${by}\n${kind}\n${signature}`;
    for (const draft of drafts) if (draft.alerts.delete(key)) extend(draft);
  }

  /** The call at hand cleared or confirmed it: the loop lasted until the one before, or this one. */
  function extend(draft: Draft): void {
    draft.to = Math.max(draft.to, here());
    draft.endTokens = tokens() ?? draft.endTokens;
  }

  function toLoop({ kind, from, to, count, what, severity, startTokens, endTokens, alerts }: Draft): Loop {
    const open = alerts.size > 0;
    const spent = (open ? (tokens() ?? endTokens) : endTokens) - startTokens;
    return { kind, from, to: open ? here() : to, count, what, severity, open, ...(tokens() !== undefined && spent > 0 && { tokens: spent }) };
  }

  return { raise, clear, get: () => mergeOverlaps(drafts.map(toLoop)) };
}

/** Loops that share calls are told as one, by the name that says most. */
function mergeOverlaps(loops: readonly Loop[]): readonly Loop[] {
  const merged: Loop[] = [];
  for (const loop of loops.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last === undefined || loop.from > last.to) {
      merged.push(loop);
      continue;
    }
    const named = score(loop.kind, loop.count) > score(last.kind, last.count) && loop.what !== "" ? loop : last;
    const spent = Math.max(last.tokens ?? 0, loop.tokens ?? 0);
    merged[merged.length - 1] = {
      kind: named.kind, from: last.from, to: Math.max(last.to, loop.to), count: named.count, what: named.what,
      severity: RANK[loop.severity] > RANK[last.severity] ? loop.severity : last.severity, open: last.open || loop.open,
      ...(spent > 0 && { tokens: spent }),
    };
  }
  return merged;
}

/** A precise kind beats a vague one; of equals, the higher count. */
function score(kind: string, count: number): number {
  return (VAGUE.has(kind) ? 0 : 1000) + Math.min(count, 999);
}
