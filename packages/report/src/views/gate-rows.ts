import type { RunEvent, VouchVerdict } from "@phasekit/core";
import { shownText } from "./shown-text.ts";

/** The verdict of a gate, judge or reviewer. */
export interface GateRow {
  readonly seq: number;
  readonly gate: string;
  readonly verdict:
    VouchVerdict | "fail" | "waived" | "approved" | "rejected" | "approve" | "needs-changes" | "reject" | "failed";
  readonly text?: string;
  /** True if it blocked the run. */
  readonly held: boolean;
}

/** A pending review or claim. */
export interface WaitingReview {
  /** The id of the review, or of the claim. */
  readonly review: string;
  /** The kind of the review; "claim" for a claim. */
  readonly kind: string;
  readonly text: string;
  readonly seq: number;
}

/** Returns every verdict, in order. */
export function gateRows(events: readonly RunEvent[]): readonly GateRow[] {
  return events.flatMap((event): readonly GateRow[] => {
    const row = rowOf(event);
    return row === undefined ? [] : [{ seq: event.seq, ...row }];
  });
}

function rowOf(event: RunEvent): Omit<GateRow, "seq"> | undefined {
  switch (event.type) {
    case "finish.vetoed":
      return {
        gate: event.gate,
        verdict: event.held === "waived" ? "waived" : "fail",
        text: shownText(event.why ?? event.text, 400),
        held: event.applied,
      };
    case "finish.vouched":
      return { gate: event.gate, verdict: event.verdict, ...textIn(event.why), held: false };
    case "verdict.given":
      return {
        gate: shownText(event.judge ?? event.phase ?? "claim"),
        verdict: event.verdict,
        ...textIn(event.why ?? event.fix),
        held: event.verdict === "rejected",
      };
    case "review.finished":
      return {
        gate: shownText(event.reviewer ?? event.review),
        verdict: event.verdict,
        ...textIn(event.feedback),
        held: event.verdict === "reject",
      };
    default:
      return undefined;
  }
}

const textIn = (text: string | undefined): { readonly text?: string } =>
  text === undefined ? {} : { text: shownText(text, 400) };

/** Returns the pending reviews and claims. */
export function waitingReviews(events: readonly RunEvent[]): readonly WaitingReview[] {
  const waiting = new Map<string, WaitingReview>();
  for (const event of events) {
    if (event.type === "review.requested" && event.applied) {
      waiting.set(event.review, {
        review: event.review,
        kind: event.kind,
        text: event.text.slice(0, 20_000),
        seq: event.seq,
      });
    } else if (event.type === "claim.submitted") {
      const { claim, item, phase, data } = event;
      const about = [
        `Claim ${shownText(claim)}`,
        ...(item === undefined ? [] : [`item ${shownText(item)}`]),
        ...(phase === undefined ? [] : [`phase ${shownText(phase)}`]),
      ].join(", ");
      waiting.set(claim, {
        review: claim,
        kind: "claim",
        text: `${about}\n${data === undefined ? "" : JSON.stringify(data, undefined, 2).slice(0, 20_000)}`,
        seq: event.seq,
      });
    } else if (event.type === "review.finished") waiting.delete(event.review);
    else if (event.type === "verdict.given" && event.claim !== undefined) waiting.delete(event.claim);
    else if (event.type === "run.finished") waiting.clear();
  }
  return [...waiting.values()];
}
