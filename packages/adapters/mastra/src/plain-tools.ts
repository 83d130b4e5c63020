import type { PlainTool } from "@phasekit/core";

/** The options of Mastra's `createTool()` for a plain tool. */
export interface MastraToolOptions {
  readonly id: string;
  readonly description: string;
  readonly inputSchema: never;
  readonly execute: (input: unknown) => Promise<string>;
}

/**
 * Converts plain tools to the `tools` of an agent. Pass `createTool` of Mastra: this package imports nothing from it.
 *
 * @example
 * import { createTool } from "@mastra/core/tools";
 * const tools = { ...mine, ...toMastraTools([phaseStatusTool(run)], { createTool }) };
 */
export function toMastraTools<TTool>(
  tools: readonly PlainTool[],
  { createTool }: { readonly createTool: (options: MastraToolOptions) => TTool },
): Record<string, TTool> {
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema, execute }) => [
      name,
      createTool({
        id: name,
        description,
        // Mastra has its own type for JSON Schema; any valid schema fits.
        inputSchema: inputSchema as never,
        execute: async (input) => {
          const { ok, text } = await execute(input);
          if (!ok) throw new Error(text);
          return text;
        },
      }),
    ]),
  );
}
