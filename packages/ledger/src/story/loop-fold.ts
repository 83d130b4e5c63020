import { severityRank, callOf } from "@phasekit/core/account";
import type { EventOf, RunEvent, Severity } from "@phasekit/core";
import { createCallCounter } from "./call-counter.ts";
import { createCallRing } from "./call-ring.ts";

/** A range of calls without progress: it begins and ends with a call that brought little. */
export interface Loop {
  /** The pattern of a stall, such as `repeat`, or the kind of another alert. */
  readonly kind: string;
  /** The first and the last call. */
  readonly from: number;
  readonly to: number;
  /** The phase in which it was noticed, and the places of its first alert and its last call in the log. */
  readonly phase: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The number of repetitions. */
  readonly count: number;
  /** The repeated call. Foreign text. */
  readonly what: string;
  readonly severity: Severity;
  /** Tokens spent from the first to the last call; absent if unknown. */
  readonly tokens?: number;
  /** True if the run ended in the loop: its last call is the last of the run. */
  readonly open: boolean;
}

/**
 * Folds the events of a run into its loops: alerts about the same calls are one loop. Every count of loops comes from
 * here: `why`, `diff`, the list of runs and the report.
 */
export interface LoopFold {
  readonly add: (event: RunEvent) => void;
  readonly get: () => readonly Loop[];
  /** The calls so far. */
  readonly calls: () => number;
  /** Input and output tokens so far; `undefined` if no answer reports them. */
  readonly tokens: () => number | undefined;
}

interface Draft {
  kind: string;
  from: number;
  to: number;
  readonly phase: string;
  readonly firstSeq: number;
  lastSeq: number;
  count: number;
  what: string;
  /** The identity of the question that the loop repeats; `undefined` if its calls differ. */
  about: string | undefined;
  severity: Severity;
  startTokens: number;
  endTokens: number;
  readonly alerts: Set<string>;
}

/** Kinds without a specific call: another alert about the same calls is more useful. */
const VAGUE = new Set([
  "stagnation",
  "cumulative-loop",
  "no-gain",
  // Of earlier versions.
  "failure-rate",
  "failures-in-a-row",
  "failing-tool",
]);
const MAX_LOOPS = 50;

/** Alerts about the provider, the clock or the host: not a loop of the agent. */
const OUTSIDE: ReadonlySet<string> = new Set([
  "usage-unknown",
  "silence",
  "call-timeout",
  "quota-floor",
  "upstream-errors",
  "cost-unknown",
  "sub-agents",
]);

/** True if alerts of this kind are about a loop of the agent, and not about the provider, the clock or the host. */
export function isLoopKind(kind: string): boolean {
  return !OUTSIDE.has(kind);
}

/** Returns the loops of a run, in the order of their calls. */
export function loopsOf(events: readonly RunEvent[]): readonly Loop[] {
  const fold = createLoopFold();
  for (const event of events) fold.add(event);
  return fold.get();
}

/** Creates an empty fold. */
export function createLoopFold(): LoopFold {
  return new Loops();
}

class Loops implements LoopFold {
  readonly #ring = createCallRing();
  readonly #isNewCall = createCallCounter();
  #spent: number | undefined;
  readonly tokens = (): number | undefined => this.#spent;
  readonly #drafts: Draft[] = [];
  #phase = "";

  readonly add = (event: RunEvent): void => {
    switch (event.type) {
      case "model.answered":
        if (event.usage?.inputTokens !== undefined || event.usage?.outputTokens !== undefined)
          this.#spent = (this.#spent ?? 0) + (event.usage.inputTokens ?? 0) + (event.usage.outputTokens ?? 0);
        return;
      case "tool.requested":
        if (this.#isNewCall(event)) this.#ring.add(event, this.#spent ?? 0);
        return;
      case "tool.finished":
        if (this.#isNewCall(event)) this.#ring.add(event, this.#spent ?? 0);
        for (const draft of this.#drafts)
          if (draft.alerts.size > 0 && isPartOf(draft, event)) this.#extend(draft, event);
        return;
      case "run.started":
        this.#phase = event.phase;
        return;
      case "phase.transition":
      case "phase.rolled-back":
        this.#phase = event.to;
        return;
      case "alert.raised":
        this.#raise(event);
        return;
      case "alert.cleared":
        this.#clear(event);
        return;
      default:
        return;
    }
  };

  readonly calls: LoopFold["calls"] = this.#ring.count;

  readonly get: LoopFold["get"] = () => mergeOverlaps(this.#drafts.map(this.#toLoop)).filter(isTold);

  #here(): number {
    return Math.max(1, this.#ring.count());
  }

  #raise(event: EventOf<"alert.raised">): void {
    const { kind: given, signature, subject, count, severity, evidence, by, seq } = event;
    // A chat without calls has nothing to repeat.
    if (!isLoopKind(given) || this.#ring.count() === 0) return;
    const kind = patternIn(evidence) ?? given;
    const named = subject ?? signature;
    const same = this.#ring.firstOf(named, count);
    const about = same === undefined ? undefined : named;
    const first = same ?? (count > 1 ? this.#ring.back(count - 1) : this.#ring.last());
    const from = first?.call ?? this.#here();
    const key = `${by}\n${given}\n${signature}`;
    const found = this.#drafts.find(({ to, alerts }) => alerts.has(key) || to >= from);
    const what = this.#ring.find(named)?.what ?? "";
    if (found === undefined) {
      if (this.#drafts.length < MAX_LOOPS)
        this.#drafts.push({
          kind,
          from,
          to: this.#here(),
          phase: this.#phase,
          firstSeq: seq,
          lastSeq: seq,
          count,
          what,
          about,
          severity,
          startTokens: first?.tokensBefore ?? 0,
          endTokens: this.tokens() ?? 0,
          alerts: new Set([key]),
        });
      return;
    }
    found.alerts.add(key);
    found.to = this.#here();
    found.lastSeq = seq;
    found.endTokens = this.tokens() ?? found.endTokens;
    found.count = Math.max(found.count, found.about === about ? count : 0);
    if (from < found.from) Object.assign(found, { from, startTokens: first?.tokensBefore ?? found.startTokens });
    const better =
      (found.what === "" && what !== "") ||
      (!(found.what !== "" && what === "") && score(kind, count) > score(found.kind, found.count));
    if (better) Object.assign(found, { kind, count, about, ...(what !== "" && { what }) });
    if (severityRank(severity) > severityRank(found.severity)) found.severity = severity;
  }

  #clear({ kind, signature, by }: EventOf<"alert.cleared">): void {
    const key = `${by}\n${kind}\n${signature}`;
    for (const draft of this.#drafts) draft.alerts.delete(key);
  }

  #extend(draft: Draft, event: EventOf<"tool.finished">): void {
    draft.to = Math.max(draft.to, this.#here());
    draft.lastSeq = event.seq;
    draft.endTokens = this.tokens() ?? draft.endTokens;
    if (draft.about === undefined || callOf(event).about === draft.about) draft.count += 1;
  }

  readonly #toLoop = ({ about: _about, startTokens, endTokens, alerts, ...draft }: Draft): Loop => {
    const { to } = draft;
    const open = alerts.size > 0 && to >= this.#here();
    const lost = (open ? (this.tokens() ?? endTokens) : endTokens) - startTokens;
    return { ...draft, open, ...(this.tokens() !== undefined && lost > 0 && { tokens: lost }) };
  };
}

/** An alert of severity `notice` watches a beginning. It is a loop once it is a warning. */
const isTold = ({ severity }: Loop): boolean => severity !== "notice";

/** An answer that brings this much ends a loop, or is beside it. */
const NEWS = 0.5;

/** True if a call continues a loop: it asks the same again, or it brings little. A change that landed is a way out. */
function isPartOf({ about }: Draft, event: EventOf<"tool.finished">): boolean {
  if (callOf(event).landed) return false;
  return callOf(event).about === about || (event.meaning.gain ?? 0) < NEWS;
}

/** The pattern a stall shows, if the evidence of an alert names one. */
function patternIn(evidence: unknown): string | undefined {
  const { pattern } = (evidence ?? {}) as { readonly pattern?: unknown };
  return typeof pattern === "string" ? pattern : undefined;
}

/** Merges loops that share calls, under the most specific kind. */
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
      kind: named.kind,
      from: last.from,
      to: Math.max(last.to, loop.to),
      phase: last.phase,
      firstSeq: last.firstSeq,
      lastSeq: Math.max(last.lastSeq, loop.lastSeq),
      count: named.count,
      what: named.what,
      severity: severityRank(loop.severity) > severityRank(last.severity) ? loop.severity : last.severity,
      open: last.open || loop.open,
      ...(spent > 0 && { tokens: spent }),
    };
  }
  return merged;
}

/** A specific kind beats a vague one; on a tie, the higher count wins. */
function score(kind: string, count: number): number {
  return (VAGUE.has(kind) ? 0 : 1000) + Math.min(count, 999);
}
