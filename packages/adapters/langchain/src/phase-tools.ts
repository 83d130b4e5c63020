import { ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { defined, type RunSource, systemClock } from "@phasekit/core/adapter";
import { toolRefused } from "./errors.ts";
import { type HostConfig, type Invocation, runOfInvocation } from "./invocation.ts";
import { makeCall } from "./make-call.ts";

interface InvocableTool {
  readonly name: string;
  readonly invoke: (input: never, config?: never) => unknown;
}
type Invoke = (input: unknown, config?: HostConfig) => unknown;

/**
 * Wraps the tools of your own graph: a call the run refuses is not made, and every result is recorded. Pass the wrapped
 * tools to the `ToolNode` and to the model. Use the same source as for the model node to share its run.
 *
 * @example
 * const tools = phaseTools(run, [search, edit]);
 * graph.addNode("tools", new ToolNode(tools));
 */
export function phaseTools<TTool extends InvocableTool>(
  source: RunSource<Invocation>,
  tools: readonly TTool[],
  { clock = systemClock }: { readonly clock?: () => number } = {},
): TTool[] {
  return tools.map((tool) => {
    const invoke: Invoke = async (input, config = {}) => {
      const toolCall = toolCallOf(tool.name, input);
      const made = await makeCall(runOfInvocation(source, config), {
        toolCall,
        tool,
        clock,
        execute: (watched = tool) => (watched as unknown as { readonly invoke: Invoke }).invoke(input, config),
      });
      if ("output" in made) return made.output;
      if ("error" in made) throw made.error;
      if (toolCall.id === undefined) throw toolRefused(made.refused);
      return new ToolMessage({ content: made.refused, name: tool.name, tool_call_id: toolCall.id, status: "error" });
    };
    return Object.create(tool, { invoke: { value: invoke } }) as TTool;
  });
}

/** Agents invoke a tool with a tool call, programs with bare arguments. */
function toolCallOf(name: string, input: unknown): ToolCall {
  const { type, id, args } = (input ?? {}) as {
    readonly type?: unknown;
    readonly id?: string;
    readonly args?: Record<string, unknown>;
  };
  return type === "tool_call"
    ? { name, args: args ?? {}, ...defined({ id }) }
    : { name, args: input as Record<string, unknown> };
}
