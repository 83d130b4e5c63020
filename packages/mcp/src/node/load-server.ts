import { isObject } from "@phasekit/core/adapter";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ServerDefinition } from "../define-server.ts";
import { invalidServerFile } from "../errors.ts";

const NAMES = ["phasekit.mcp.js", "phasekit.mcp.mjs", "phasekit.mcp.ts", "phasekit.mcp.mts"];

/**
 * Loads the file that defines a server: `file`, or the first of `phasekit.mcp.js`, `.mjs`, `.ts` and `.mts` in the
 * folder. TypeScript needs Node 22.18 or newer.
 *
 * @throws INVALID_SERVER_FILE with every problem of the file
 */
export async function loadServer({
  folder,
  file,
}: {
  readonly folder: string;
  readonly file?: string;
}): Promise<ServerDefinition> {
  const path = resolve(folder, file ?? NAMES.find((name) => existsSync(resolve(folder, name))) ?? NAMES[0] ?? "");
  if (!existsSync(path)) throw invalidServerFile(path, ["the file does not exist"]);
  let definition: unknown;
  try {
    const { default: exported } = (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
    definition = typeof exported === "function" ? await (exported as () => unknown)() : exported;
  } catch (error) {
    throw invalidServerFile(path, [error instanceof Error ? error.message : String(error)], error);
  }
  const problems = checkDefinition(definition);
  if (problems.length > 0) throw invalidServerFile(path, problems);
  return definition as ServerDefinition;
}

/** Every problem of a definition. The file may be JavaScript, so types do not catch them. */
export function checkDefinition(definition: unknown): readonly string[] {
  if (!isObject(definition)) return ["the default export is not an object, and not a function that returns one"];
  const { tools, resources = [], http = {}, bound = {}, close, ...rest } = definition;
  const known = new Set(["name", "version", "instructions", "maxInputLength", "onError"]);
  return [
    ...(Array.isArray(tools) && tools.length > 0
      ? tools.flatMap(checkTool)
      : ["`tools` is not an array with at least one tool"]),
    ...(Array.isArray(resources)
      ? resources.flatMap((resource: unknown, index) =>
          isObject(resource) && typeof resource["uri"] === "string" && typeof resource["read"] === "function"
            ? []
            : [`resources[${String(index)}] has no \`uri\` or no \`read\``],
        )
      : ["`resources` is not an array"]),
    ...(isObject(http) ? [] : ["`http` is not an object"]),
    ...(isObject(bound) ? [] : ["`bound` is not an object"]),
    ...(close === undefined || typeof close === "function" ? [] : ["`close` is not a function"]),
    ...Object.keys(rest)
      .filter((key) => !known.has(key))
      .map((key) => `\`${key}\` is not an option`),
  ];
}

function checkTool(tool: unknown, index: number): readonly string[] {
  if (!isObject(tool)) return [`tools[${String(index)}] is not a tool`];
  const texts = ["name", "description"]
    .filter((key) => typeof tool[key] !== "string")
    .map((key) => `tools[${String(index)}].${key} is not a string`);
  return [
    ...texts,
    ...(isObject(tool["inputSchema"]) ? [] : [`tools[${String(index)}].inputSchema is not a JSON Schema`]),
    ...(typeof tool["execute"] === "function" ? [] : [`tools[${String(index)}].execute is not a function`]),
  ];
}
