import type { PlainTool } from "@phasekit/core";

/** The options of the SDK's `tool()` for a plain tool. */
export interface AgentToolOptions {
  readonly name: string;
  readonly description: string;
  readonly parameters: never;
  readonly strict: false;
  readonly execute: (input: unknown) => Promise<string>;
}

/**
 * Converts plain tools to the `tools` of an agent. Pass `tool` of the SDK: this package imports nothing from it.
 *
 * @example
 * import { Agent, tool } from "@openai/agents";
 * const agent = new Agent({ name: "Fixer", tools: [...mine, ...toAgentTools([phaseStatusTool(run)], { tool })] });
 */
export function toAgentTools<TTool>(
  tools: readonly PlainTool[],
  { tool }: { readonly tool: (options: AgentToolOptions) => TTool },
): TTool[] {
  return tools.map(({ name, description, inputSchema, execute }) =>
    tool({
      name,
      description,
      // The SDK has its own type for JSON Schema; any valid schema fits.
      parameters: inputSchema as never,
      strict: false,
      execute: async (input) => {
        const { ok, text } = await execute(input);
        if (!ok) throw new Error(text);
        return text;
      },
    }),
  );
}
