import { clipText } from "../text/clip.ts";
import type { HostType } from "../events/run-event.ts";
import { hashText } from "../text/hash.ts";
import type { LooseObject } from "../text/loose-object.ts";
import type { IngestContext } from "./ingest-context.ts";

/** The members every event has, before those of its type: number, time, turn, call, place in a batch. */
export function stampEvent(
  type: HostType,
  input: LooseObject,
  { view, clock }: Pick<IngestContext, "view" | "clock">,
): Record<string, unknown> {
  const { at, agent, loop } = input;
  const call = callId(input["call"]);
  const event: Record<string, unknown> = {
    type,
    seq: view.seq + 1,
    at: Math.max(view.now, isTime(at) ? at : clock()),
  };
  if (typeof agent === "string" && agent !== "") event["agent"] = clipText(agent, 200);
  const opensTurn = type === "turn.started" || (type === "model.answered" && view.turnSource !== "starts");
  const isTool = type === "tool.requested" || type === "tool.finished";
  const pending = isTool && call !== undefined ? view.pending.get(call) : undefined;
  const answers = type === "tool.finished" ? pending : undefined;
  const opensOwn = isTool && view.turnSource === "none" && answers === undefined;
  const turn = answers?.turn ?? view.turn + (opensTurn || opensOwn ? 1 : 0);
  if (turn > 0) event["turn"] = turn;
  if (call !== undefined) event["call"] = call;
  else if (type === "tool.requested") event["call"] = `call-${String(view.nextCall)}`;
  if (isTool) event["index"] = answers?.index ?? (opensOwn ? 0 : view.nextIndex);
  if (typeof loop === "string" && loop !== "") event["loop"] = clipText(loop, 200);
  return event;
}

/** True for a time a Date can hold. A larger one would leave no time for any later event. */
export function isTime(value: unknown): value is number {
  return typeof value === "number" && Math.abs(value) <= 8.64e15;
}

/** The id of a call as events carry it: a long one is shortened and stays unique. */
export function callId(call: unknown): string | undefined {
  if (typeof call !== "string" || call === "") return undefined;
  return call.length <= 200 ? call : `${call.slice(0, 180)}#${hashText(call)}`;
}
