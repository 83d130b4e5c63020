import { expectationSet } from "@phasekit/core";
import { defined, type LooseObject, nameIn, numberIn, textIn, toObject } from "@phasekit/core/adapter";
import { readResult } from "../../parse/loose-json.ts";
import type { TranslationContext } from "../../transcript-format.ts";
import { createOwnLog } from "../../write/own-log.ts";

/** Gathers the events in the spans and log records of `@phasekit/otel`, and writes their runs. */
export interface OwnTrace {
  /** Takes the attributes of a span or a log record; false if Phasekit did not write it. */
  readonly take: (attributes: LooseObject) => boolean;
  readonly end: () => void;
}

const MAX_EVENTS = 1_000_000;

/**
 * Reads the traces that Phasekit sent. Spans and log records come in any order, and more than once if they were sent
 * again: events are put in order and counted once. Texts are in the attributes that every backend reads.
 */
export function createOwnTrace(translation: TranslationContext): OwnTrace {
  const { skip } = translation;
  const runs = new Map<string, Map<number, LooseObject>>();
  let count = 0;

  function writeFirst(): void {
    const [run, events] = runs.entries().next().value ?? [];
    if (run === undefined || events === undefined) return;
    runs.delete(run);
    count -= events.size;
    const log = createOwnLog(translation);
    const ordered = [...events].sort(([one], [other]) => one - other).map(([, event]) => event);
    for (const event of ordered) log.take(event);
  }

  return {
    take: (attributes) => {
      const run = nameIn(attributes["phasekit.run"]);
      const stored = attributes["phasekit.events"];
      if (run === undefined || !Array.isArray(stored)) return false;
      const events = runs.get(run) ?? new Map<number, LooseObject>();
      runs.set(run, events);
      for (const text of stored) {
        const event = withTexts(toObject(readResult(text)), attributes);
        const seq = numberIn(event["seq"]);
        if (seq === undefined) translation.unknown("event without a number");
        else if (events.has(seq)) skip("event sent twice");
        else {
          events.set(seq, event);
          count += 1;
        }
      }
      while (count > MAX_EVENTS && runs.size > 1) writeFirst();
      return true;
    },
    end: () => {
      while (runs.size > 0) writeFirst();
    },
  };
}

/** An event as the host recorded it, as far as the trace has its texts. */
function withTexts(event: LooseObject, attributes: LooseObject): LooseObject {
  switch (event["type"]) {
    case "tool.requested":
      return { ...event, ...defined({ input: inputIn(attributes) }) };
    case "tool.finished": {
      const error = event["error"] === undefined ? undefined : { message: "", ...toObject(event["error"]) };
      const output = error === undefined ? readResult(attributes["gen_ai.tool.call.result"]) : undefined;
      return { ...event, ...defined({ error, output: output ?? undefined }) };
    }
    case "model.failed":
      return event["error"] === undefined ? event : { ...event, error: { message: "", ...toObject(event["error"]) } };
    case "event.emitted":
      // A policy made it of a text that is not here.
      return event["name"] === expectationSet.name ? { ...event, type: "event.recorded" } : event;
    case "phase.transition":
      // The policy that reads the same text again makes the same move, and then this one is stale.
      return {
        ...defined({ seq: event["seq"], at: event["at"], to: event["to"], from: event["from"] }),
        type: "move.requested",
        do: "transition",
        by: "policy",
      };
    default:
      return event;
  }
}

function inputIn(attributes: LooseObject): unknown {
  const text = textIn(attributes["gen_ai.tool.call.arguments"]);
  return text === "" ? undefined : readResult(text);
}
