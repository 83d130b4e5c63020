import { checkEvent, isHostEvent, type NewEvent } from "@phasekit/core";
import { defined, isDerivedType, isReason, type LooseObject, nameIn, numberIn, toObject } from "@phasekit/core/adapter";
import type { TranslationContext } from "../transcript-format.ts";
import type { RunWriter } from "./run-writer.ts";

/** Takes the events of Phasekit's own logs, in their order. */
export interface OwnLog {
  /** Writes a host event; derived ones are skipped, because they are decided again. */
  readonly take: (event: LooseObject) => void;
}

/** Writes the events of our own logs into runs: the log of the file store, and a trace that Phasekit sent. */
export function createOwnLog({ runs, skip, unknown }: Pick<TranslationContext, "runs" | "skip" | "unknown">): OwnLog {
  let run: RunWriter | undefined;
  let isOver = false;

  function begin(event: LooseObject): void {
    const { task, parent } = event;
    const header = defined({
      id: nameIn(event["run"]),
      startedAt: numberIn(event["at"]),
      folder: nameIn(event["folder"]),
    });
    run?.end();
    run = runs.open({
      saysTask: false,
      ...header,
      ...(task !== undefined && { task: toObject(task) }),
      ...(typeof toObject(parent)["run"] === "string" && { parent: parent as { readonly run: string } }),
    });
    isOver = false;
  }

  function finish({ reason, summary, at }: LooseObject): void {
    isOver = true;
    run?.end(defined({ reason: isReason(reason) ? reason : undefined, summary: nameIn(summary), at: numberIn(at) }));
  }

  return {
    take: (event) => {
      const type = nameIn(event["type"]) ?? "";
      if (type === "run.started") begin(event);
      else if (type === "run.finished") finish(event);
      else if (isHostEvent({ type })) {
        if (isOver) skip("event after the end");
        else if (checkEvent(event).length > 0) unknown(`${type} that is not valid`);
        else (run ??= runs.open()).record(event as unknown as NewEvent);
      } else if (isDerivedType(type)) skip("derived event");
      else unknown(type === "" ? "value without a type" : type);
    },
  };
}
