import { defined, type LooseObject, nameIn, textIn, toObject } from "@phasekit/core/adapter";
import { objectsIn, timeIn } from "../../parse/loose-json.ts";
import { readAttributes } from "../../spans/span-attributes.ts";
import { createSpanCollector } from "../../spans/span-collector.ts";
import type { TranscriptFormat } from "../../transcript-format.ts";
import { createOwnTrace } from "./own-trace.ts";

/** The lists of an export that hold something to read. */
const PARTS = ["resourceSpans", "resourceLogs"] as const;

/** OpenTelemetry traces as JSON, with their logs: an export, a list of them, or the lines a collector writes. */
export const otlp: TranscriptFormat = {
  name: "otlp",
  title: "OpenTelemetry (OTLP JSON)",
  detect: ({ layout, values: [first] }) => {
    const isList = Array.isArray(first);
    const document = toObject(isList ? (first as readonly unknown[])[0] : first);
    if (!PARTS.some((part) => Array.isArray(document[part]))) return undefined;
    const inside = isList || layout === "lines" ? "*." : "";
    return { certainty: 1, split: PARTS.map((part) => `${inside}${part}.*`) };
  },
  translate: (translation) => {
    const collector = createSpanCollector(translation);
    const own = createOwnTrace(translation);
    const { skip } = translation;
    return {
      take: ({ path, value }) => {
        if (typeof path.at(-1) !== "number") return skip(String(path.at(-1)));
        const { scopeSpans, scopeLogs, instrumentationLibrarySpans } = toObject(value);
        for (const scope of objectsIn(scopeSpans ?? instrumentationLibrarySpans))
          for (const span of objectsIn(scope["spans"])) addSpan(span, scope);
        for (const scope of objectsIn(scopeLogs))
          for (const record of objectsIn(scope["logRecords"])) addRecord(record);
      },
      end: () => {
        own.end();
        collector.end();
      },
    };

    function addSpan(span: LooseObject, { scope }: LooseObject): void {
      const attributes = attributesIn(span);
      if (own.take(attributes)) return;
      // Phases, and events without length: the run derives them again.
      if (toObject(scope)["name"] === "@phasekit/otel") return skip("span of a derived event");
      const { code, message } = toObject(span["status"]);
      const failed = code === 2 || code === "STATUS_CODE_ERROR";
      const name = textIn(span["name"]);
      collector.add(
        {
          id: textIn(span["spanId"]),
          trace: textIn(span["traceId"]),
          name,
          ...readAttributes(attributes, name),
          ...defined({
            parent: nameIn(span["parentSpanId"]),
            startedAt: timeIn(span["startTimeUnixNano"]),
            endedAt: timeIn(span["endTimeUnixNano"]),
            error: failed
              ? (nameIn(message) ?? nameIn(attributes["error.type"]) ?? "error")
              : nameIn(attributes["error.type"]),
          }),
        },
        { size: JSON.stringify(span).length },
      );
    }

    function addRecord(record: LooseObject): void {
      if (!own.take(attributesIn(record))) skip(nameIn(record["eventName"]) ?? "log record");
    }
  },
};

function attributesIn({ attributes }: LooseObject): LooseObject {
  return Object.fromEntries(objectsIn(attributes).map(({ key, value }) => [textIn(key), plainValue(value)]));
}

/** A value without the tag OTLP puts around it. */
function plainValue(value: unknown): unknown {
  const { stringValue, intValue, doubleValue, boolValue, arrayValue } = toObject(value);
  if (arrayValue !== undefined) return objectsIn(toObject(arrayValue)["values"]).map(plainValue);
  return stringValue ?? (intValue === undefined ? undefined : Number(intValue)) ?? doubleValue ?? boolValue;
}
