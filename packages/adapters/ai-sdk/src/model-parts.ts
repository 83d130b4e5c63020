import type { Usage } from "@phasekit/core";
import { knownUsage, type ModelAnswer, readCall } from "@phasekit/core/adapter";

/** A value of the SDK as far as it is looked at: its majors differ in shape. */
export type Part = Readonly<Record<string, unknown>>;

/** The value as an object; an empty one when it is none. */
export function partIn(value: unknown): Part {
  return typeof value === "object" && value !== null ? (value as Part) : {};
}

/** What a model call returned, in any version of the model interface, as an answer. */
export function partsToAnswer({ content, finishReason, usage, model }: {
  readonly content: readonly unknown[];
  readonly finishReason: unknown;
  readonly usage: unknown;
  readonly model: unknown;
}): ModelAnswer {
  const parts = content.map(partIn);
  const known = usageOf(usage);
  // A text in version 2, an object with the provider's own word beside it since.
  const finish = typeof finishReason === "string" ? finishReason : partIn(finishReason)["unified"];
  return {
    ...(typeof model === "string" && { model }),
    ...(known !== undefined && { usage: known }),
    ...(typeof finish === "string" && { finishReason: finish }),
    text: parts.map(({ type, text }) => (type === "text" && typeof text === "string" ? text : "")).join(""),
    // What the provider runs by itself is not the host's to make or refuse.
    calls: parts.filter(({ type, providerExecuted }) => type === "tool-call" && providerExecuted !== true).map(callOf),
  };
}

function callOf({ toolCallId, toolName, input }: Part): ModelAnswer["calls"][number] {
  const call = String(toolCallId);
  const tool = String(toolName);
  return typeof input === "string" ? readCall(call, tool, input) : { call, tool, input };
}

/** Usage of version 2 (numbers side by side), of versions 3 and 4 (totals with details), or as callbacks give it. */
function usageOf(usage: unknown): Usage | undefined {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens, inputTokenDetails, outputTokenDetails } = partIn(usage);
  const input = partIn(inputTokens);
  const output = partIn(outputTokens);
  const details = partIn(inputTokenDetails);
  return knownUsage({
    inputTokens: input["total"] ?? inputTokens,
    outputTokens: output["total"] ?? outputTokens,
    cachedInputTokens: input["cacheRead"] ?? details["cacheReadTokens"] ?? cachedInputTokens,
    cacheWriteTokens: input["cacheWrite"] ?? details["cacheWriteTokens"],
    reasoningTokens: output["reasoning"] ?? partIn(outputTokenDetails)["reasoningTokens"] ?? reasoningTokens,
  });
}
