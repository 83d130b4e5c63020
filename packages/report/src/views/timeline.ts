import type { RunEvent } from "@phasekit/core";
import type { RunSummary } from "@phasekit/ledger";

/** One stay in a phase as a bar on the axis. */
export interface PhaseBar {
  readonly entry: string;
  readonly phase: string;
  readonly attempt: number;
  /** Where it begins and ends on the axis. */
  readonly from: number;
  readonly to: number;
  readonly firstSeq: number;
  readonly state: "done" | "failed" | "open";
  /** Why it ended, in one word. */
  readonly ended?: string;
}

/** What is marked on the axis. */
export type MarkKind = "tests-pass" | "tests-fail" | "alert" | "nudge" | "refusal" | "veto" | "review" | "stop";

export interface Mark {
  readonly kind: MarkKind;
  readonly seq: number;
  readonly at: number;
  readonly label: string;
}

/** A run on one axis: its phases, how densely tools were called, where the tokens went. */
export interface Timeline {
  /** What the axis counts: milliseconds since the start, or events where the log has no usable times. */
  readonly axis: "time" | "events";
  readonly length: number;
  readonly bars: readonly PhaseBar[];
  readonly marks: readonly Mark[];
  /** Tool calls and tokens in equal slices of the axis. */
  readonly slices: readonly { readonly calls: number; readonly errors: number; readonly tokens: number }[];
}

const SLICES = 120;
const MAX_MARKS = 400;

/** Lays a run out on one axis. */
export function timeline(events: readonly RunEvent[], summary: RunSummary): Timeline {
  const start = events[0]?.at ?? 0;
  const last = events.at(-1);
  const byTime = last !== undefined && last.at > start;
  const place = (event: { readonly at: number; readonly seq: number }): number => (byTime ? event.at - start : event.seq - 1);
  const length = Math.max(1, last === undefined ? 1 : place(last));
  const slices = Array.from({ length: SLICES }, () => ({ calls: 0, errors: 0, tokens: 0 }));
  const marks: Mark[] = [];
  for (const event of events) {
    const slice = slices[Math.min(SLICES - 1, Math.floor((place(event) / length) * SLICES))];
    if (event.type === "tool.finished" && slice !== undefined) {
      slice.calls += 1;
      if (event.outcome !== "ok") slice.errors += 1;
    }
    if (event.type === "model.answered" && slice !== undefined) slice.tokens += (event.usage?.inputTokens ?? 0) + (event.usage?.outputTokens ?? 0);
    const mark = markOf(event);
    if (mark !== undefined) marks.push({ ...mark, seq: event.seq, at: place(event) });
  }
  return { axis: byTime ? "time" : "events", length, bars: barsOf({ summary, events, place }), marks: thinned(marks), slices };
}

function barsOf({ summary, events, place }: {
  readonly summary: RunSummary;
  readonly events: readonly RunEvent[];
  readonly place: (event: RunEvent) => number;
}): readonly PhaseBar[] {
  const at = (seq: number): number => {
    const event = events[seq - 1] ?? events.at(-1);
    return event === undefined ? 0 : place(event);
  };
  const bars = summary.phases.map(({ entry, phase, attempt, firstSeq, lastSeq, success, reason, endReason }): PhaseBar => ({
    entry, phase, attempt, from: at(firstSeq), to: at(lastSeq), firstSeq, state: success ? "done" : "failed", ended: reason ?? endReason,
  }));
  const closed = bars.at(-1);
  if (summary.state !== "running") return bars;
  // Only a run that goes on has an entry without a record.
  const firstSeq = summary.phases.at(-1)?.lastSeq ?? 1;
  return [...bars, { entry: summary.phase, phase: summary.phase, attempt: summary.attempt, from: closed?.to ?? 0, to: at(summary.seq), firstSeq, state: "open" }];
}

function markOf(event: RunEvent): Pick<Mark, "kind" | "label"> | undefined {
  switch (event.type) {
    case "tool.finished": {
      const { tests } = event.meaning;
      if (tests === undefined || tests.verdict === "unknown") return undefined;
      return { kind: tests.verdict === "pass" ? "tests-pass" : "tests-fail", label: `tests ${tests.verdict}` };
    }
    case "alert.raised": return { kind: "alert", label: event.kind };
    case "nudge.sent": return event.guidance === true ? undefined : { kind: "nudge", label: event.by };
    case "tool.refused": return { kind: "refusal", label: event.tool };
    case "finish.vetoed": return { kind: "veto", label: event.gate };
    case "review.requested": return { kind: "review", label: event.kind };
    case "stop.requested": return { kind: "stop", label: event.reason };
    default: return undefined;
  }
}

/** Keeps the drawing readable: of very many marks, every n-th. The list below the axis has them all. */
function thinned(marks: readonly Mark[]): readonly Mark[] {
  if (marks.length <= MAX_MARKS) return marks;
  const step = Math.ceil(marks.length / MAX_MARKS);
  return marks.filter((_, index) => index % step === 0);
}
