import { toObject } from "@phasekit/core/adapter";
import type { TranscriptFormat } from "../../transcript-format.ts";
import { createOwnLog } from "../../write/own-log.ts";

/** A log of Phasekit: events as lines, as a list, or as a segment of the file store. Derived events are skipped. */
export const phasekitLog: TranscriptFormat = {
  name: "phasekit",
  title: "Phasekit",
  detect: ({ values: [first] }) => {
    const isList = Array.isArray(first);
    const event = toObject(isList ? (first as readonly unknown[])[0] : first);
    const isSegment = event["k"] === "^" && typeof event["run"] === "string" && typeof event["epoch"] === "number";
    const isEvent =
      event["type"] === "run.started" && typeof event["seq"] === "number" && typeof event["at"] === "number";
    return isSegment || isEvent ? { certainty: 1, ...(isList && { split: ["*"] }) } : undefined;
  },
  translate: (translation) => {
    const log = createOwnLog(translation);
    return {
      take: ({ value }) => {
        const event = toObject(value);
        if (typeof event["k"] === "string") translation.skip("segment line");
        else log.take(event);
      },
    };
  },
};
