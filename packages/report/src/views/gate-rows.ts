import type { RunEvent } from "@phasekit/core";
import { shownText } from "./shown-text.ts";

/** What a gate, a judge or a reviewer said. */
export interface GateRow {
  readonly seq: number;
  readonly gate: string;
  readonly verdict: "pass" | "concerns" | "fail" | "waived" | "approved" | "rejected" | "approve" | "needs-changes" | "reject" | "failed";
  readonly text?: string;
  /** Whether it held the run back. */
  readonly held: boolean;
}

/** A review, or a claim that a phase is complete, that waits for an answer. */
export interface WaitingReview {
  /** The id of the review, or of the claim. */
  readonly review: string;
  /** Of a review, what it is about; "claim" of a claim. */
  readonly kind: string;
  readonly text: string;
  readonly seq: number;
}

/** Every verdict on the work, in order. */
export function gateRows(events: readonly RunEvent[]): readonly GateRow[] {
  return events.flatMap((event): readonly GateRow[] => {
    const row = rowOf(event);
    return row === undefined ? [] : [{ seq: event.seq, ...row }];
  });
}

function rowOf(event: RunEvent): Omit<GateRow, "seq"> | undefined {
  switch (event.type) {
    case "finish.vetoed":
      return { gate: event.gate, verdict: event.held === "waived" ? "waived" : "fail", text: shownText(event.text, 400), held: event.applied };
    case "finish.vouched":
      return { gate: event.gate, verdict: event.verdict, held: false };
    case "verdict.given":
      return { gate: shownText(event.judge ?? event.phase ?? "claim"), verdict: event.verdict, ...textIn(event.why ?? event.fix), held: event.verdict === "rejected" };
    case "review.finished":
      return { gate: shownText(event.reviewer ?? event.review), verdict: event.verdict, ...textIn(event.feedback), held: event.verdict === "reject" };
    default:
      return undefined;
  }
}

const textIn = (text: string | undefined): { readonly text?: string } => (text === undefined ? {} : { text: shownText(text, 400) });

/** The reviews and claims nobody has answered yet. */
export function waitingReviews(events: readonly RunEvent[]): readonly WaitingReview[] {
  const waiting = new Map<string, WaitingReview>();
  for (const event of events) {
    if (event.type === "review.requested" && event.applied) {
      waiting.set(event.review, { review: event.review, kind: event.kind, text: event.text.slice(0, 20_000), seq: event.seq });
    } else if (event.type === "claim.submitted") {
      const { claim, item, phase, data } = event;
      const about = [`Claim ${shownText(claim)}`, ...(item === undefined ? [] : [`item ${shownText(item)}`]), ...(phase === undefined ? [] : [`phase ${shownText(phase)}`])].join(", ");
      waiting.set(claim, { review: claim, kind: "claim", text: `${about}\n${data === undefined ? "" : JSON.stringify(data, undefined, 2).slice(0, 20_000)}`, seq: event.seq });
    } else if (event.type === "review.finished") waiting.delete(event.review);
    else if (event.type === "verdict.given" && event.claim !== undefined) waiting.delete(event.claim);
    else if (event.type === "run.finished") waiting.clear();
  }
  return [...waiting.values()];
}
