import { defined, type LooseObject, nameIn, textIn, toObject } from "@phasekit/core/adapter";
import { objectsIn, timeIn } from "../../parse/loose-json.ts";
import { readAttributes } from "../../spans/span-attributes.ts";
import { createSpanCollector } from "../../spans/span-collector.ts";
import type { TranscriptFormat } from "../../transcript-format.ts";

/** Traces as trees of spans with OpenInference attributes, each span holding its children. */
export const openinferenceTree: TranscriptFormat = {
  name: "openinference-tree",
  title: "OpenInference span tree",
  detect: ({ values: [first] }) => {
    const [span = {}] = objectsIn(toObject(first)["spans"]);
    return typeof span["span_id"] === "string" && "span_attributes" in span
      ? { certainty: 1, split: ["spans.*"], first: ["trace_id"] }
      : undefined;
  },
  translate: (translation) => {
    const collector = createSpanCollector(translation);
    let trace = "";

    function add(span: LooseObject, parent: string | undefined): void {
      const id = textIn(span["span_id"]);
      const name = textIn(span["span_name"]);
      const startedAt = timeIn(span["timestamp"]);
      const duration = durationMs(textIn(span["duration"]));
      const failed = span["status_code"] === "Error";
      collector.add({
        id,
        trace: nameIn(span["trace_id"]) ?? trace,
        name,
        ...readAttributes(toObject(span["span_attributes"]), name),
        ...defined({
          parent: nameIn(span["parent_span_id"]) ?? parent,
          startedAt,
          endedAt: startedAt === undefined || duration === undefined ? undefined : startedAt + duration,
          error: failed ? (nameIn(span["status_message"]) ?? "error") : undefined,
        }),
      });
      for (const child of objectsIn(span["child_spans"])) add(child, id);
    }

    return {
      take: ({ path: [first], value }) => {
        if (first === "spans") return add(toObject(value), undefined);
        if (first === "trace_id") trace = textIn(value);
        translation.skip(String(first));
      },
      end: collector.end,
    };
  },
};

/** `PT40M41.898157S` in milliseconds. */
function durationMs(text: string): number | undefined {
  const [whole, days = "0", hours = "0", minutes = "0", seconds = "0"] =
    /^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(text) ?? [];
  return whole === undefined
    ? undefined
    : Math.round(((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000);
}
