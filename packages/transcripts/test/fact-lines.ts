import type { NewFact } from "@phasekit/core";
import type { ReadRun } from "../src/index.ts";

/** A run's facts as lines, without what formats need not agree on: ids, times, the model, usage. */
export function factsToLines({ facts }: Pick<ReadRun, "facts">): readonly string[] {
  return facts.map(toLine);
}

function toLine(fact: NewFact): string {
  switch (fact.type) {
    case "model.answered":
      return `answered: ${String(fact.textLength)} characters, ${String(fact.toolCalls)} calls`;
    case "message.sent":
    case "message.received":
      return `${fact.type}: ${"text" in fact ? fact.text : (fact.excerpt ?? "")}`;
    case "tool.requested":
      return `call ${fact.tool} ${JSON.stringify(fact.input)}`;
    case "tool.finished":
      return `${fact.outcome} ${fact.tool ?? ""} ${JSON.stringify(fact.output)}`;
    case "finish.requested":
      return `finish: ${fact.text ?? ""}`;
    case "child.started":
    case "child.finished":
      return `${fact.type}: ${fact.child}`;
    default:
      return fact.type;
  }
}
