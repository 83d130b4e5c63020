import { defined, failureToEvent, resultToEvent, shieldRun, toObject } from "@phasekit/core/adapter";
import type { Invocation } from "./invocation.ts";

type Hook = (context: unknown) => unknown;

/** The tool hooks of an agent or a call. */
export interface ToolHooks {
  readonly beforeToolCall?: Hook;
  readonly afterToolCall?: Hook;
}

/** Returns tool hooks that ask the run before a call and record its result. The caller's own hooks still run. */
export function watchHooks({ run, clock }: Invocation, theirs: ToolHooks): ToolHooks {
  const { attempt, beforeTool, record } = shieldRun(run);
  const starts = new Map<string, number>();
  return {
    beforeToolCall: async (context) => {
      const { call, tool, input } = callOf(context);
      const answer = beforeTool({ ...defined({ call }), tool, input });
      if (!answer.allow) return { proceed: false, output: answer.text };
      starts.set(answer.call, clock());
      const result = await theirs.beforeToolCall?.(context);
      const { proceed, output } = toObject(result);
      if (proceed === false)
        attempt(
          "tool.finished",
          () => record({ type: "tool.finished", call: answer.call, tool, outcome: "denied", output: output ?? "" }),
          false,
        );
      return result;
    },
    afterToolCall: async (context) => {
      attempt(
        "tool.finished",
        () => {
          const { call = "", tool } = callOf(context);
          const { output, error } = toObject(context);
          const durationMs = clock() - (starts.get(call) ?? clock());
          starts.delete(call);
          record(
            error === undefined
              ? resultToEvent({ call, tool }, output, durationMs)
              : failureToEvent({ call, tool }, error, durationMs),
          );
        },
        undefined,
      );
      await theirs.afterToolCall?.(context);
    },
  };
}

function callOf(given: unknown): { readonly call?: string; readonly tool: string; readonly input: unknown } {
  const { toolName, input, context } = toObject(given);
  const { agent, toolCallId } = toObject(context);
  const call = toObject(agent)["toolCallId"] ?? toolCallId;
  return { ...(typeof call === "string" && { call }), tool: String(toolName), input };
}
