import type { PlainTool } from "../plain-tool.ts";
import type { ToolHandlers } from "./make-calls.ts";

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
