import type { PlainTool } from "@phasekit/core";
import { plainToolHandlers } from "@phasekit/core/adapter";
import { ownValue } from "@phasekit/core/kit";

/** A tool definition for `messages.create`. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: { type: "object"; [member: string]: unknown };
}

/** A tool for `client.beta.messages.toolRunner`. */
export interface RunnableTool extends AnthropicTool {
  run: (input: unknown) => Promise<string>;
  parse: (input: unknown) => unknown;
}

/** Converts plain tools to the `tools` of a request. */
export function toAnthropicTools(tools: readonly PlainTool[]): AnthropicTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: { ...inputSchema, type: "object" },
  }));
}

/** Converts plain tools to tools that the tool runner can run. A result that is not ok becomes an error. */
export function toRunnableTools(tools: readonly PlainTool[]): RunnableTool[] {
  const handlers = plainToolHandlers(tools) as Readonly<Record<string, (input: unknown) => Promise<string>>>;
  return toAnthropicTools(tools).map((tool) => ({
    ...tool,
    run: (input) => ownValue(handlers, tool.name)?.(input) ?? Promise.resolve(""),
    parse: (input) => input,
  }));
}
