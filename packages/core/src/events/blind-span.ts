import { defineEvent, type EventDefinition } from "./define-event.ts";

/** A time in which an agent worked and its watcher could not answer. */
export interface BlindSpan {
  /** The last event before it, and the first one after it. */
  readonly from: number;
  readonly to: number;
  /** The tool calls of that time that are in the log all the same. */
  readonly calls: number;
  /**
   * How they came into the log: events arrived when the agent had continued (`late`), the agent's own log was read
   * afterwards (`log`), or they did not come (`lost`).
   */
  readonly how: "late" | "log" | "lost";
  /** Why they did not come. */
  readonly why?: string;
}

/** Recorded by a host that noticed that it had been blind. */
export const blindSpan: EventDefinition<BlindSpan> = /* @__PURE__ */ defineEvent<BlindSpan>("watch.blind");

/** A blind time in one sentence, in the time zone of the reader. */
export function blindText({ from, to, calls, how, why }: BlindSpan): string {
  const some = `${String(calls)} ${calls === 1 ? "call" : "calls"}`;
  const known = {
    late: `${some} came late, so Phasekit could not answer`,
    log: `${some} ${calls === 1 ? "was" : "were"} read from the agent's own log afterwards`,
    lost: `what happened is not known, because ${why ?? "nothing tells it"}`,
  };
  return `Blind ${blindTimes({ from, to })}: ${known[how]}.`;
}

/** The times of a blind span: "from 14:02 to 14:05". */
export function blindTimes({ from, to }: Pick<BlindSpan, "from" | "to">): string {
  const [start, end] = [new Date(from), new Date(to)];
  const isOneDay = start.toDateString() === end.toDateString();
  // Within a minute, the seconds tell them apart.
  const length = isOneDay && to - from < MINUTE ? 8 : 5;
  const text = (date: Date): string =>
    `${isOneDay ? "" : `${date.toDateString().slice(4, 10)} `}${date.toTimeString().slice(0, length)}`;
  return `from ${text(start)} to ${text(end)}`;
}

const MINUTE = 60_000;
