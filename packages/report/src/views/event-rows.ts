import type { RunEvent } from "@phasekit/core";
import { callOf } from "@phasekit/core/account";
import { eventText } from "./event-text.ts";
import { readableEvent } from "./readable-event.ts";
import { shownText } from "./shown-text.ts";

/** The topic of an event, for colors and filters. */
type RowKind =
  | "run"
  | "phase"
  | "turn"
  | "model"
  | "tool"
  | "test"
  | "message"
  | "alert"
  | "nudge"
  | "gate"
  | "review"
  | "work"
  | "other";

/** The outcome of an event, if it has one. */
type RowOutcome = "ok" | "error" | "denied" | "refused";

/** One event as a row of the event list. */
export interface EventRow {
  readonly seq: number;
  readonly at: number;
  readonly type: RunEvent["type"];
  readonly kind: RowKind;
  readonly phase: string;
  /** One line of text about the event. */
  readonly text: string;
  readonly tool?: string;
  readonly outcome?: RowOutcome;
}

type Request = Extract<RunEvent, { type: "tool.requested" }>;

/** Creates a function that converts events to rows in order: the phase of a row depends on earlier events. */
export function createEventRows(): (event: RunEvent) => EventRow {
  let phase = "";
  const requests = new Map<string, Request>();
  return (stored) => {
    const event = readableEvent(stored);
    if (event.type === "run.started") phase = event.phase;
    if (event.type === "tool.requested" && event.call !== undefined) requests.set(event.call, event);
    const request = event.type === "tool.finished" && event.call !== undefined ? requests.get(event.call) : undefined;
    // A call has one result, so forget it to bound memory.
    if (event.type === "tool.finished" && event.call !== undefined) requests.delete(event.call);
    const before = phase;
    if (event.type === "phase.transition" || event.type === "phase.rolled-back") phase = event.to;
    const tool = toolOf(event, request);
    const outcome = outcomeOf(event);
    return {
      seq: event.seq,
      at: event.at,
      type: event.type,
      kind: kindOf(event),
      phase: before === "" ? phase : before,
      text: eventText(event, request),
      ...(tool !== undefined && { tool }),
      ...(outcome !== undefined && { outcome }),
    };
  };
}

/** Converts events to rows of the event list. */
export function eventRows(events: readonly RunEvent[]): readonly EventRow[] {
  return events.map(createEventRows());
}

function toolOf(event: RunEvent, request: Request | undefined): string | undefined {
  if (event.type !== "tool.requested" && event.type !== "tool.refused" && event.type !== "tool.finished")
    return undefined;
  return shownText(event.tool === "unknown" ? (request?.tool ?? event.tool) : event.tool, 60);
}

function outcomeOf(event: RunEvent): RowOutcome | undefined {
  switch (event.type) {
    case "tool.finished":
      return event.outcome === "denied" ? event.outcome : callOf(event).failed ? "error" : "ok";
    case "tool.refused":
      return "refused";
    case "model.failed":
      return "error";
    case "finish.vetoed":
      return event.applied ? "refused" : undefined;
    case "phase.refused":
      return "refused";
    default:
      return undefined;
  }
}

const KINDS: readonly (readonly [prefix: string, kind: RowKind])[] = [
  ["run.", "run"],
  ["stop.", "run"],
  ["child.", "run"],
  ["clock.", "other"],
  ["phase.", "phase"],
  ["exploration.", "phase"],
  ["move.", "phase"],
  ["turn.", "turn"],
  ["model.", "model"],
  ["tool.", "tool"],
  ["message.", "message"],
  ["alert.", "alert"],
  ["nudge.", "nudge"],
  ["finish.", "gate"],
  ["verdict.", "gate"],
  ["claim.", "gate"],
  ["review.", "review"],
  ["check.", "test"],
  ["validation.", "work"],
  ["output.", "work"],
  ["operation.", "work"],
  ["workspace.", "work"],
  ["todos.", "work"],
  ["plan.", "work"],
  ["question.", "work"],
  ["progress.", "work"],
  ["quota.", "model"],
];

function kindOf(event: RunEvent): RowKind {
  if (event.type === "tool.finished" && event.meaning.tests !== undefined) return "test";
  return KINDS.find(([prefix]) => event.type.startsWith(prefix))?.[1] ?? "other";
}
