import type { PlainTool } from "@phasekit/core";
import type { ToolHandlers } from "./execute-tools.ts";

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

/** Returns the handlers of plain tools for `executeTools`. A result that is not ok becomes an error. */
export function plainToolHandlers(tools: readonly PlainTool[]): ToolHandlers {
  return Object.fromEntries(
    tools.map((tool) => [
      tool.name,
      async (input: unknown): Promise<string> => {
        const { ok, text } = await tool.execute(input);
        if (!ok) throw new Error(text);
        return text;
      },
    ]),
  );
}
