import type { PlainTool } from "@phasekit/core";

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
  return tools.flatMap((plain) =>
    toAnthropicTools([plain]).map((tool) => ({
      ...tool,
      run: async (input) => {
        const { ok, text } = await plain.execute(input);
        if (!ok) throw new Error(text);
        return text;
      },
      parse: (input) => input,
    })),
  );
}
