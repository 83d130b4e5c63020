import type { PlainTool } from "@phasekit/core";

/** A tool definition for the AI SDK. */
export interface AiTool<TSchema> {
  readonly description: string;
  readonly inputSchema: TSchema;
  readonly execute: (input: unknown) => Promise<string>;
}

/**
 * Converts plain tools to the `tools` of a call. Pass `jsonSchema` of the SDK: this package imports nothing from it.
 *
 * @example
 * import { jsonSchema } from "ai";
 * const tools = { ...mine, ...toAiTools([phaseStatusTool(run)], { jsonSchema }) };
 */
export function toAiTools<TSchema>(
  tools: readonly PlainTool[],
  { jsonSchema }: { readonly jsonSchema: (schema: never) => TSchema },
): Record<string, AiTool<TSchema>> {
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema, execute }) => [
      name,
      {
        description,
        // The SDK has its own type for JSON Schema; any valid schema fits.
        inputSchema: jsonSchema(inputSchema as never),
        execute: async (input: unknown): Promise<string> => {
          const { ok, text } = await execute(input);
          if (!ok) throw new Error(text);
          return text;
        },
      },
    ]),
  );
}
