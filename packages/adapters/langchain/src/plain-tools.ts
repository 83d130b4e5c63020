import { type DynamicStructuredTool, tool } from "@langchain/core/tools";
import type { JsonObject, PlainTool } from "@phasekit/core";

/**
 * Plain tools as tools of LangChain. What a tool does not accept is an error the model reads.
 *
 * @example
 * const agent = createAgent({ model, tools: [...mine, ...toLangChainTools([phaseStatusTool(run)])] });
 */
export function toLangChainTools(tools: readonly PlainTool[]): DynamicStructuredTool<JsonObject>[] {
  return tools.map(({ name, description, inputSchema, execute }) =>
    tool(
      async (input: unknown): Promise<string> => {
        const { ok, text } = await execute(input);
        if (!ok) throw new Error(text);
        return text;
      },
      { name, description, schema: inputSchema },
    ),
  );
}
