import type { RunEvent } from "@phasekit/core";
import type { RunSummary } from "@phasekit/ledger";
import { callOf } from "@phasekit/core/account";
import { createCallCounter, words } from "@phasekit/ledger/story";
import { childName } from "./child-rows.ts";

/** One phase entry as a bar on the axis. */
export interface PhaseBar {
  readonly entry: string;
  readonly phase: string;
  readonly attempt: number;
  /** Start and end on the axis. */
  readonly from: number;
  readonly to: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly state: "done" | "failed" | "open";
  /** Why the entry ended, in one word. */
  readonly ended?: string;
  readonly cost?: number;
  /** Model calls without a known cost. */
  readonly unpricedCalls?: number;
}

/** The kind of a mark on the axis. */
export type MarkKind =
  | "prompt"
  | "sub-agent"
  | "tests-pass"
  | "tests-fail"
  | "failed-call"
  | "alert"
  | "nudge"
  | "refusal"
  | "veto"
  | "review"
  | "stop";

export interface Mark {
  readonly kind: MarkKind;
  readonly seq: number;
  readonly at: number;
  readonly label: string;
  /** False if Phasekit only watched: it would have acted here. */
  readonly applied?: false;
}

/** A run on one axis: phases, tool calls and tokens. */
export interface Timeline {
  /** The unit of the axis: milliseconds since the start, or events if the log has no usable timestamps. */
  readonly axis: "time" | "events";
  readonly length: number;
  readonly bars: readonly PhaseBar[];
  readonly marks: readonly Mark[];
  /** Tool calls and tokens in equal slices of the axis. */
  readonly slices: readonly Slice[];
}

/** Tool calls and tokens of one slice of the axis. */
export interface Slice {
  readonly calls: number;
  readonly errors: number;
  readonly tokens: number;
}

/** A part of the axis. */
export interface AxisRange {
  readonly from: number;
  readonly to: number;
}

const SLICES = 120;
const MAX_MARKS = 2000;

/** Places a run on one axis. */
export function timeline(events: readonly RunEvent[], summary: RunSummary): Timeline {
  const { axis, place } = axisOf(events);
  const last = events.at(-1);
  const length = Math.max(1, last === undefined ? 1 : place(last));
  const marks: Mark[] = [];
  let vetoed: number | undefined;
  for (const event of events) {
    const mark = markOf(event);
    if (mark === undefined) continue;
    if (event.type === "finish.vetoed") {
      // Several gates send an agent back once.
      if (event.cause === vetoed) continue;
      vetoed = event.cause;
    }
    const isIdle = "applied" in event && event.applied === false;
    marks.push({ ...mark, seq: event.seq, at: place(event), ...(isIdle && { applied: false }) });
  }
  return {
    axis,
    length,
    bars: barsOf({ summary, events, place }),
    marks: thinned(marks),
    slices: sliceEvents(events, { from: 0, to: length }),
  };
}

/** Counts tool calls and tokens in equal slices of a part of the axis: the whole, or what a reader zoomed into. */
export function sliceEvents(events: readonly RunEvent[], { from, to }: AxisRange): readonly Slice[] {
  const { place } = axisOf(events);
  const slices = Array.from({ length: SLICES }, () => ({ calls: 0, errors: 0, tokens: 0 }));
  const isNewCall = createCallCounter();
  for (const event of events) {
    const isNew = isNewCall(event);
    const share = (place(event) - from) / Math.max(1, to - from);
    const slice = share < 0 || share > 1 ? undefined : slices[Math.min(SLICES - 1, Math.floor(share * SLICES))];
    if (slice === undefined) continue;
    if (isNew) slice.calls += 1;
    if (event.type === "tool.finished" && callOf(event).failed) slice.errors += 1;
    if (event.type === "model.answered")
      slice.tokens += (event.usage?.inputTokens ?? 0) + (event.usage?.outputTokens ?? 0);
  }
  return slices;
}

/** Time since the start, or the number of the event if the log has no usable timestamps. */
function axisOf(events: readonly RunEvent[]): {
  readonly axis: Timeline["axis"];
  readonly place: (event: { readonly at: number; readonly seq: number }) => number;
} {
  const start = events[0]?.at ?? 0;
  const byTime = (events.at(-1)?.at ?? start) > start;
  return byTime ? { axis: "time", place: ({ at }) => at - start } : { axis: "events", place: ({ seq }) => seq - 1 };
}

function barsOf({
  summary,
  events,
  place,
}: {
  readonly summary: RunSummary;
  readonly events: readonly RunEvent[];
  readonly place: (event: RunEvent) => number;
}): readonly PhaseBar[] {
  const at = (seq: number): number => {
    const event = events[seq - 1] ?? events.at(-1);
    return event === undefined ? 0 : place(event);
  };
  const bars = summary.phases.map((record): PhaseBar => ({
    entry: record.entry,
    phase: record.phase,
    attempt: record.attempt,
    from: at(record.firstSeq),
    to: at(record.lastSeq),
    firstSeq: record.firstSeq,
    lastSeq: record.lastSeq,
    state: record.success ? "done" : "failed",
    ended: record.reason ?? record.endReason,
    ...words.knownCost(record.aggregates.total.usage),
  }));
  const closed = bars.at(-1);
  if (summary.state !== "running") return bars;
  // Only a run in progress has an entry without a record.
  const firstSeq = summary.phases.at(-1)?.lastSeq ?? 1;
  return [
    ...bars,
    {
      entry: summary.phase,
      phase: summary.phase,
      attempt: summary.attempt,
      from: closed?.to ?? 0,
      to: at(summary.seq),
      firstSeq,
      lastSeq: summary.seq,
      state: "open",
    },
  ];
}

function markOf(event: RunEvent): Pick<Mark, "kind" | "label"> | undefined {
  switch (event.type) {
    case "message.received":
      return event.from === undefined || event.from === "user"
        ? { kind: "prompt", label: words.titleOfPrompt(event.excerpt ?? "", 80) ?? "prompt" }
        : undefined;
    case "tool.finished": {
      const { tests } = event.meaning;
      if (tests === undefined || tests.verdict === "unknown")
        return callOf(event).failed ? { kind: "failed-call", label: `${event.tool} failed` } : undefined;
      return { kind: tests.verdict === "pass" ? "tests-pass" : "tests-fail", label: `tests ${tests.verdict}` };
    }
    case "child.started":
      return { kind: "sub-agent", label: words.titleOfPrompt(event.task ?? "", 80) ?? childName(event.child) };
    case "alert.raised":
      return { kind: "alert", label: event.kind };
    case "nudge.sent":
      return event.guidance === true ? undefined : { kind: "nudge", label: event.by };
    case "tool.refused":
      return { kind: "refusal", label: event.tool };
    case "finish.vetoed":
      return event.held === undefined ? { kind: "veto", label: event.gate } : undefined;
    case "review.requested":
      return { kind: "review", label: event.kind };
    case "stop.requested":
      return { kind: "stop", label: event.reason };
    default:
      return undefined;
  }
}

/** Thins out many marks to keep the chart readable; the event list has them all. */
function thinned(marks: readonly Mark[]): readonly Mark[] {
  if (marks.length <= MAX_MARKS) return marks;
  const step = Math.ceil(marks.length / MAX_MARKS);
  return marks.filter((_, index) => index % step === 0);
}
