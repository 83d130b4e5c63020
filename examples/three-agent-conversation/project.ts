import type { PlainTool } from "@phasekit/core";

/** The project the agents work on: a few files in memory, and a test that really looks at them. */
export interface Project {
  readonly files: Map<string, string>;
  readonly tools: readonly PlainTool[];
}

export function createProject(): Project {
  const files = new Map([
    ["search.ts", "export const search = () => [];"],
    ["pages.json", '["Install", "Phases", "Policies"]'],
  ]);
  const pages = (): readonly string[] => JSON.parse(files.get("pages.json") ?? "[]") as string[];
  const found = (query: string): readonly string[] => {
    const ignoresCase = files.get("search.ts")?.includes("toLowerCase") === true;
    const matches = files.get("search.ts")?.includes("includes(") === true;
    const plain = (text: string): string => (ignoresCase ? text.toLowerCase() : text);
    return matches ? pages().filter((page) => plain(page).includes(plain(query))) : [];
  };
  return {
    files,
    tools: [
      {
        name: "write_file",
        description: "Writes a file of the project.",
        inputSchema: {
          type: "object",
          properties: { path: { type: "string" }, text: { type: "string" } },
          required: ["path", "text"],
        },
        execute: (input) => {
          const { path, text } = input as { readonly path: string; readonly text: string };
          files.set(path, text);
          return { ok: true, text: `Wrote ${path}.` };
        },
      },
      {
        name: "run_tests",
        description: "Searches for two words and looks at the hits.",
        inputSchema: { type: "object", properties: {} },
        execute: () => {
          const failed = [
            ["Phases", 1],
            ["policies", 1],
          ].filter(([query, hits]) => found(String(query)).length !== hits);
          // Tests that fail are a result like any other; the tool itself did its part.
          return {
            ok: true,
            text:
              failed.length === 0
                ? "2 passed"
                : `${2 - failed.length} passed, ${failed.length} failed: ` +
                  failed.map(([query]) => String(query)).join(", "),
          };
        },
      },
    ],
  };
}
