import type { EventOf } from "@phasekit/core";
import { callOf, notesOf } from "@phasekit/core/account";
import { isObject } from "@phasekit/core/adapter";

type Finished = EventOf<"tool.finished">;

const MEMBERS = ["stderr", "error", "message", "stdout", "output", "content", "result"];
const LONG = 2000;

/**
 * True if a call failed, or if its answer reads as a failure and no exit code is known. Hosts that report every result
 * as ok leave nothing but the words: enough for a reviewer and a reminder, too little for a refusal.
 */
export function readsAsFailed(event: Finished): boolean {
  if (event.outcome === "denied") return false;
  const { exitCode = event.exitCode } = notesOf(event.meaning);
  return callOf(event).failed || (event.meaning.answer === "failure" && exitCode === undefined);
}

/** A result as text: of an object, its first member that says something. */
export function resultText({ output, error }: Pick<Finished, "output" | "error">): string {
  if (typeof output === "string" && output !== "") return output;
  if (isObject(output)) {
    const found = MEMBERS.map((name) => output[name]).find((text) => typeof text === "string" && text.trim() !== "");
    if (typeof found === "string") return found;
  }
  return error?.message ?? (output === undefined || output === "" ? "" : JSON.stringify(output));
}

/** The first line of a result, for people. */
export function firstLine(event: Pick<Finished, "output" | "error">, limit = 160): string {
  const lines = (event.error?.message ?? resultText(event)).slice(0, LONG).split("\n");
  const line = lines.map((part) => part.trim()).find((part) => part !== "") ?? "";
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}
