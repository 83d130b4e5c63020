import type { NewEvent } from "@phasekit/core";
import type { RecordedRun } from "../src/index.ts";

/** A run's events as lines, without what formats need not agree on: ids, times, the model, usage. */
export function eventsToLines({ events }: Pick<RecordedRun, "events">): readonly string[] {
  return events.map(toLine);
}

function toLine(event: NewEvent): string {
  switch (event.type) {
    case "model.answered":
      return `answered: ${String(event.textLength)} characters, ${String(event.toolCalls)} calls`;
    case "message.sent":
    case "message.received":
      return `${event.type}: ${"text" in event ? event.text : (event.excerpt ?? "")}`;
    case "tool.requested":
      return `call ${event.tool} ${JSON.stringify(event.input)}`;
    case "tool.finished":
      return `${event.outcome} ${event.tool ?? ""} ${JSON.stringify(event.output)}`;
    case "finish.requested":
      return `finish: ${event.text ?? ""}`;
    case "child.started":
    case "child.finished":
      return `${event.type}: ${event.child}`;
    default:
      return event.type;
  }
}
