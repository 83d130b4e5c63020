import type { PlainTool } from "@phasekit/core";

/** A tool definition for chat completions. */
export interface ChatTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Record<string, unknown>;
  };
}

/** A tool definition for the Responses API. */
export interface ResponsesTool {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: Record<string, unknown>;
  readonly strict: false;
}

/** Converts plain tools to the `tools` of a chat completion. */
export function toChatTools(tools: readonly PlainTool[]): ChatTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: { ...inputSchema } },
  }));
}

/** Converts plain tools to the `tools` of a Responses request. */
export function toResponsesTools(tools: readonly PlainTool[]): ResponsesTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    parameters: { ...inputSchema },
    strict: false,
  }));
}
