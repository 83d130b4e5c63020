import type { Usage } from "@phasekit/core";
import { defined, knownUsage, type LooseObject, type ModelAnswer, readCall, toObject } from "@phasekit/core/adapter";

/** An object of the SDK. Shapes differ between majors, so every member is unknown. */
export type Part = LooseObject;

/** Converts the result of a model call, in any version of the model interface. */
export function partsToAnswer({
  content,
  finishReason,
  usage,
  model,
}: {
  readonly content: readonly unknown[];
  readonly finishReason: unknown;
  readonly usage: unknown;
  readonly model: unknown;
}): ModelAnswer {
  const parts = content.map(toObject);
  const known = usageOf(usage);
  // A string in version 2; since then an object that also has the provider's own reason.
  const reasoning = textOf(parts, "reasoning");
  const finish = typeof finishReason === "string" ? finishReason : toObject(finishReason)["unified"];
  return {
    ...(typeof model === "string" && { model }),
    ...defined({ usage: known }),
    ...(typeof finish === "string" && { finishReason: finish }),
    ...(reasoning !== "" && { reasoning }),
    text: textOf(parts, "text"),
    // The host neither makes nor refuses calls the provider executes.
    calls: parts.filter(({ type, providerExecuted }) => type === "tool-call" && providerExecuted !== true).map(callOf),
  };
}

/** The text of all parts of one type. */
function textOf(parts: readonly Part[], wanted: "text" | "reasoning"): string {
  return parts.map(({ type, text }) => (type === wanted && typeof text === "string" ? text : "")).join("");
}

function callOf({ toolCallId, toolName, input }: Part): ModelAnswer["calls"][number] {
  const call = String(toolCallId);
  const tool = String(toolName);
  return typeof input === "string" ? readCall(call, tool, input) : { call, tool, input };
}

/** Reads usage of version 2 (flat numbers), of versions 3 and 4 (totals with details), and of callbacks. */
function usageOf(usage: unknown): Usage | undefined {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens, inputTokenDetails, outputTokenDetails } =
    toObject(usage);
  const input = toObject(inputTokens);
  const output = toObject(outputTokens);
  const details = toObject(inputTokenDetails);
  return knownUsage({
    inputTokens: input["total"] ?? inputTokens,
    outputTokens: output["total"] ?? outputTokens,
    cachedInputTokens: input["cacheRead"] ?? details["cacheReadTokens"] ?? cachedInputTokens,
    cacheWriteTokens: input["cacheWrite"] ?? details["cacheWriteTokens"],
    reasoningTokens: output["reasoning"] ?? toObject(outputTokenDetails)["reasoningTokens"] ?? reasoningTokens,
  });
}
