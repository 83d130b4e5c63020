import { known, listIn, type LooseObject, nameIn, objectIn, textIn, timeIn } from "../../parse/loose-json.ts";
import { readAttributes } from "../../spans/span-attributes.ts";
import { createSpanCollector } from "../../spans/span-collector.ts";
import type { TranscriptFormat } from "../../transcript-format.ts";

/** OpenTelemetry traces as JSON: an export, a list of them, or the lines a collector writes. */
export const otlp: TranscriptFormat = {
  name: "otlp",
  title: "OpenTelemetry (OTLP JSON)",
  detect: ({ layout, values: [first] }) => {
    const isList = Array.isArray(first);
    const { resourceSpans } = objectIn(isList ? (first as readonly unknown[])[0] : first);
    if (!Array.isArray(resourceSpans)) return undefined;
    return { certainty: 1, split: isList || layout === "lines" ? ["*.resourceSpans.*"] : ["resourceSpans.*"] };
  },
  translate: (translation) => {
    const collector = createSpanCollector(translation);
    const { skip } = translation;
    return {
      take: ({ path, value }) => {
        if (typeof path.at(-1) !== "number") return skip(String(path.at(-1)));
        for (const scope of listIn(objectIn(value)["scopeSpans"] ?? objectIn(value)["instrumentationLibrarySpans"])) {
          for (const span of listIn(scope["spans"])) addSpan(span);
        }
      },
      end: collector.end,
    };

    function addSpan(span: LooseObject): void {
      const attributes = Object.fromEntries(
        listIn(span["attributes"]).map(({ key, value }) => [textIn(key), plainValue(value)]),
      );
      const { code, message } = objectIn(span["status"]);
      const failed = code === 2 || code === "STATUS_CODE_ERROR";
      const name = textIn(span["name"]);
      collector.add(
        {
          id: textIn(span["spanId"]),
          trace: textIn(span["traceId"]),
          name,
          ...readAttributes(attributes, name),
          ...known({
            parent: nameIn(span["parentSpanId"]),
            startedAt: timeIn(span["startTimeUnixNano"]),
            endedAt: timeIn(span["endTimeUnixNano"]),
            error: failed ? (nameIn(message) ?? "error") : undefined,
          }),
        },
        { size: JSON.stringify(span).length },
      );
    }
  },
};

/** A value without the tag OTLP puts around it. */
function plainValue(value: unknown): unknown {
  const { stringValue, intValue, doubleValue, boolValue, arrayValue } = objectIn(value);
  if (arrayValue !== undefined) return listIn(objectIn(arrayValue)["values"]).map(plainValue);
  return stringValue ?? (intValue === undefined ? undefined : Number(intValue)) ?? doubleValue ?? boolValue;
}
