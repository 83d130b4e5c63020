import { defineEvent, type EventDefinition } from "./define-event.ts";

/** A time in which an agent worked and its watcher could not answer. */
export interface BlindSpan {
  /** The last event before it, and the first one after it. */
  readonly from: number;
  readonly to: number;
  /** The tool calls of that time that are in the log all the same. */
  readonly calls: number;
  /**
   * How they came into the log: events arrived when the agent had gone on (`late`), the agent's own log was read
   * afterwards (`log`), or they did not come (`lost`).
   */
  readonly how: "late" | "log" | "lost";
  /** Why they did not come. */
  readonly why?: string;
}

/** Recorded by a host that noticed that it had been blind. */
export const blindSpan: EventDefinition<BlindSpan> = /* @__PURE__ */ defineEvent<BlindSpan>("watch.blind");
