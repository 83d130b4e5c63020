import {
  defined,
  knownUsage,
  type LooseObject,
  nameIn,
  numberIn,
  tableOf,
  textIn,
  toObject,
} from "@phasekit/core/adapter";
import { readResult, timeIn } from "../../parse/loose-json.ts";
import type { Span, SpanKind } from "../../spans/span.ts";
import { outputAnswer } from "../../spans/span-attributes.ts";
import { createSpanCollector } from "../../spans/span-collector.ts";
import type { TranscriptFormat } from "../../transcript-format.ts";

const KINDS: Readonly<Record<string, SpanKind>> = tableOf({ GENERATION: "model", TOOL: "tool", AGENT: "agent" });

/** Traces exported from Langfuse. */
export const langfuse: TranscriptFormat = {
  name: "langfuse",
  title: "Langfuse trace",
  detect: ({ values: [first] }) => {
    const { trace, observations, id, timestamp } = toObject(first);
    const [entry] = Array.isArray(observations) ? (observations as readonly unknown[]) : [];
    const isTrace = typeof toObject(trace)["id"] === "string" || (typeof id === "string" && timestamp !== undefined);
    const isOurs =
      entry === undefined
        ? Array.isArray(observations)
        : typeof toObject(entry)["type"] === "string" && toObject(entry)["startTime"] !== undefined;
    return isTrace && isOurs ? { certainty: 1, split: ["observations.*"], first: ["trace", "id"] } : undefined;
  },
  translate: (translation) => {
    const collector = createSpanCollector(translation);
    let trace = "trace";
    return {
      take: ({ path: [first], value }) => {
        if (first === "observations") return collector.add(toSpan(toObject(value), trace));
        if (first === "trace") trace = nameIn(toObject(value)["id"]) ?? trace;
        else if (first === "id") trace = nameIn(value) ?? trace;
        translation.skip(String(first));
      },
      end: collector.end,
    };
  },
};

function toSpan(observation: LooseObject, trace: string): Span {
  const input = readTwice(observation["input"]);
  const output = readTwice(observation["output"]);
  const kind = KINDS[textIn(observation["type"])] ?? "other";
  const answer = kind === "model" ? outputAnswer(output) : undefined;
  const {
    input: inputTokens,
    output: outputTokens,
    input_cache_read: cachedInputTokens,
    output_reasoning: reasoningTokens,
  } = toObject(observation["usageDetails"] ?? observation["usage"]);
  const isError = observation["level"] === "ERROR";
  return {
    id: textIn(observation["id"]),
    // One export is one trace.
    trace,
    name: textIn(observation["name"]),
    kind,
    ...defined({
      parent: nameIn(observation["parentObservationId"]),
      startedAt: timeIn(observation["startTime"]),
      endedAt: timeIn(observation["endTime"]),
      input: toolInput(kind, input),
      output: output ?? undefined,
      model: nameIn(observation["model"]),
      usage:
        kind === "model"
          ? knownUsage({
              inputTokens,
              outputTokens,
              cachedInputTokens,
              reasoningTokens,
              cost: numberIn(observation["totalCost"]),
            })
          : undefined,
      error: isError ? (nameIn(observation["statusMessage"]) ?? "error") : undefined,
      tool: kind === "tool" ? nameIn(observation["name"]) : undefined,
      text: answer?.text,
      calls: answer?.calls,
    }),
  };
}

/** Exports hold JSON as text, some of them twice. */
function readTwice(value: unknown): unknown {
  const once = typeof value === "string" && value.startsWith('"') ? readQuoted(value) : value;
  return readResult(once);
}

function readQuoted(value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

function toolInput(kind: SpanKind, input: unknown): unknown {
  const members = Object.keys(toObject(input));
  return kind === "tool" && members.length === 1 && members[0] === "input" ? toObject(input)["input"] : input;
}
