import { checkEvent, isHostEvent, type NewEvent } from "@phasekit/core";
import { isDerivedType, isReason } from "@phasekit/core/adapter";
import { known, type LooseObject, nameIn, numberIn, objectIn } from "../../parse/loose-json.ts";
import type { RunWriter } from "../../write/run-writer.ts";
import type { TranscriptFormat } from "../../transcript-format.ts";

/** A log of Phasekit: events as lines, as a list, or as a segment of the file store. Derived events are skipped. */
export const phasekitLog: TranscriptFormat = {
  name: "phasekit",
  title: "Phasekit",
  detect: ({ values: [first] }) => {
    const isList = Array.isArray(first);
    const event = objectIn(isList ? (first as readonly unknown[])[0] : first);
    const isSegment = event["k"] === "^" && typeof event["run"] === "string" && typeof event["epoch"] === "number";
    const isEvent =
      event["type"] === "run.started" && typeof event["seq"] === "number" && typeof event["at"] === "number";
    return isSegment || isEvent ? { certainty: 1, ...(isList && { split: ["*"] }) } : undefined;
  },
  translate: ({ runs, skip, unknown }) => {
    let run: RunWriter | undefined;
    let isOver = false;

    function begin(event: LooseObject): void {
      const { task, parent } = event;
      const header = known({ id: nameIn(event["run"]), startedAt: numberIn(event["at"]) });
      run?.end();
      run = runs.open({
        saysTask: false,
        ...header,
        ...(task !== undefined && { task: objectIn(task) }),
        ...(typeof objectIn(parent)["run"] === "string" && { parent: parent as { readonly run: string } }),
      });
      isOver = false;
    }

    function finish({ reason, summary, at }: LooseObject): void {
      isOver = true;
      run?.end(known({ reason: isReason(reason) ? reason : undefined, summary: nameIn(summary), at: numberIn(at) }));
    }

    return {
      take: ({ value }) => {
        const event = objectIn(value);
        const type = nameIn(event["type"]) ?? "";
        if (typeof event["k"] === "string") skip("segment line");
        else if (type === "run.started") begin(event);
        else if (type === "run.finished") finish(event);
        else if (isHostEvent({ type })) {
          if (isOver) skip("event after the end");
          else if (checkEvent(event).length > 0) unknown(`${type} that is not valid`);
          else (run ??= runs.open()).record(event as unknown as NewEvent);
        } else if (isDerivedType(type)) skip("derived event");
        else unknown(type === "" ? "value without a type" : type);
      },
    };
  },
};
