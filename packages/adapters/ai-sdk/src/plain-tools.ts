import type { PlainTool } from "@phasekit/core";

/** A tool as the AI SDK wants it. */
export interface AiTool<TSchema> {
  readonly description: string;
  readonly inputSchema: TSchema;
  readonly execute: (input: unknown) => Promise<string>;
}

/**
 * Plain tools for the `tools` of a call. The schema function is the SDK's own: this package imports nothing from it.
 *
 * @example
 * import { jsonSchema } from "ai";
 * const tools = { ...mine, ...toAiTools([phaseStatusTool(run)], { jsonSchema }) };
 */
export function toAiTools<TSchema>(tools: readonly PlainTool[], { jsonSchema }: { readonly jsonSchema: (schema: never) => TSchema }): Record<string, AiTool<TSchema>> {
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema, execute }) => [
      name,
      {
        description,
        // The SDK names JSON Schema in its own words; any schema that is one fits.
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
