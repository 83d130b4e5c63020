import { type EventOf, hashText, type Severity } from "@phasekit/core";
import { setBounded } from "./bounded.ts";
import { familyOf } from "./nudge-texts.ts";

/** How far the ladder was climbed for one loop. */
export type Rung = "notice" | "nudge" | "refuse" | "review" | "wrap-up" | "stop";

/** What the ladder remembers about one loop. Several alerts on one call are one loop. */
export interface LoopRecord {
  readonly loop: string;
  kind: string;
  policy: string;
  signature: string;
  subject: string | undefined;
  evidence: EventOf<"alert.raised">["evidence"];
  severity: Severity;
  /** What the alert counted when it was raised. */
  counted: number;
  /** The same call again since then, run or refused. */
  again: number;
  nudges: number;
  refusals: number;
  /** How often it had gone round when a review was asked for. */
  reviewedAt: number | undefined;
  /** How often progress has stepped it down. */
  relief: number;
  rung: Rung;
  open: boolean;
  raisedAt: number;
  /** The kind of fact it was raised at. */
  on: string;
  /** Its detector was asked again in this turn and has not taken it back. */
  renewed: boolean;
  /** Progress was made, and it has not come back since. */
  relieved: boolean;
}

const MAX_LOOPS = 64;
const SEVERITY = { notice: 0, warning: 1, critical: 2 } as const;

/** The identity of a loop: the call it is about, or what the alert says it is. */
function loopOf({ kind, signature, subject }: { readonly kind: string; readonly signature: string; readonly subject?: string }): string {
  return subject === undefined || subject === "" ? `${kind}:${signature.length > 60 ? hashText(signature) : signature}` : `call:${hashText(subject)}`;
}

/** Takes a raised alert into the memory of the ladder. */
export function foldRaised(loops: Map<string, LoopRecord>, event: EventOf<"alert.raised">): void {
  const loop = loopOf(event);
  const known = loops.get(loop);
  const record: LoopRecord = known ?? {
    loop, kind: event.kind, policy: event.by, signature: event.signature, subject: event.subject, evidence: event.evidence, severity: event.severity,
    counted: event.count, again: 0, nudges: 0, refusals: 0, reviewedAt: undefined, relief: 0, rung: "notice", open: true, raisedAt: event.seq,
    on: event.on, renewed: false, relieved: false,
  };
  if (known !== undefined && (!known.open || isSame(event, known) || speaksLouder(event, known))) {
    Object.assign(known, {
      kind: event.kind, policy: event.by, signature: event.signature, subject: event.subject, evidence: event.evidence, severity: event.severity,
      again: known.open && isSame(event, known) ? Math.max(0, known.counted + known.again - event.count) : 0,
      counted: event.count, open: true, raisedAt: event.seq, on: event.on, renewed: false, relieved: false,
    });
  }
  setBounded(loops, [loop, record], MAX_LOOPS);
}

type Raised = EventOf<"alert.raised">;

/** Several detectors may share one policy: an alert is the same when its kind is, too. */
function isSame({ by, kind }: Raised, known: LoopRecord): boolean {
  return by === known.policy && kind === known.kind;
}

/** Of several alerts on one loop the one with the stronger evidence speaks, then the more severe, then the earlier one. */
function speaksLouder({ kind, severity }: Raised, known: LoopRecord): boolean {
  const mine = patienceWith(kind);
  const other = patienceWith(known.kind);
  return mine === other ? SEVERITY[severity] > SEVERITY[known.severity] : mine < other;
}

/** An alert that is gone closes its loop; what was said about it is remembered in case it comes back. */
export function foldCleared(loops: Map<string, LoopRecord>, { kind, signature, by }: EventOf<"alert.cleared">): void {
  for (const record of loops.values()) if (record.policy === by && record.kind === kind && record.signature === signature) record.open = false;
}

/** Progress takes every loop one rung down. */
export function relieve(loops: Map<string, LoopRecord>): void {
  for (const record of loops.values()) {
    record.relief += 1;
    record.again = 0;
    record.relieved = true;
    if (record.rung !== "stop" && record.rung !== "wrap-up") record.rung = LOWER[record.rung];
  }
}

const LOWER: Readonly<Record<Rung, Rung>> = { notice: "notice", nudge: "notice", refuse: "nudge", review: "refuse", "wrap-up": "review", stop: "wrap-up" };

/** The loop went round once more. */
export function goRound(record: LoopRecord): void {
  record.again += 1;
  record.relieved = false;
}

/** How often the loop has gone round, as far as it can be counted. */
export function roundsOf({ counted, again }: LoopRecord): number {
  return counted + again;
}

/**
 * Evidence in which calls, arguments or errors differ: it may be a batch, a broad search, or careful reading. Worth a
 * word, never more.
 */
const WEAK = new Set([
  "same-answer", "near-repeat", "failure-rate", "failures-in-a-row", "read-only-churn", "back-to-exploring", "reread-range",
  "endless-paging", "endless-call",
]);
/** Between weak and strong: one call with one result, but with other work in between; one error for different arguments. */
const MIDDLING = new Set(["interleaved-repeat", "recurring-error", "failing-tool"]);

/** How many times as many rounds a kind of evidence needs before anything above a nudge; endlessly many for weak ones. */
export function patienceWith(kind: string): number {
  return WEAK.has(kind) ? Infinity : MIDDLING.has(kind) ? 2 : 1;
}

/** Polling is never refused and never ends a run; waiting is what it is for. Neither is weak evidence or a call that takes long. */
export function isPatient(record: LoopRecord): boolean {
  const { kind, evidence } = record;
  if (familyOf(kind) === "poller" || WEAK.has(kind) || kind === "call-timeout") return true;
  const { spaced } = (evidence ?? {}) as { readonly spaced?: unknown };
  return spaced === true && roundsOf(record) < MAX_SPACED;
}

// Careful retries are forgiven for longer, not for ever.
const MAX_SPACED = 10;
