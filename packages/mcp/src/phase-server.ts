import { McpServer, ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from "@modelcontextprotocol/server";
import type { PlainTool } from "@phasekit/core";
import { defined } from "@phasekit/core/adapter";
import { type ServerScope, callTool, resultSchema } from "./call-tool.ts";
import { duplicateTool } from "./errors.ts";
import type { PlainResource } from "./plain-resource.ts";

/** Options for `createPhaseServer()`. */
export interface PhaseServerOptions {
  /** The name the host shows. @default "phasekit" */
  readonly name?: string;
  /** @default "0.0.0" */
  readonly version?: string;
  /** The list never changes while a server runs. A tool that does not apply now refuses, and says why. */
  readonly tools: readonly PlainTool[];
  /** @default none */
  readonly resources?: readonly PlainResource[];
  /** Text the agent gets at the start, such as its phase. A function is called for every connection. */
  readonly instructions?: string | (() => string);
  /** The run and the item of the tools. A call that names another is refused. @default no check */
  readonly bound?: ServerScope;
  /** Maximum characters of JSON in the input of one call. @default 200000 */
  readonly maxInputLength?: number;
  /** Receives the errors of tools. The agent only reads that the tool failed. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Creates an MCP server of the official SDK for one connection. Connect it to your own transport, or use `serveStdio`
 * and `serveHttp` from `@phasekit/mcp/node`, which create one per connection.
 *
 * @example
 * await createPhaseServer({ tools: [phaseStatusTool(run)] }).connect(transport);
 * @throws DUPLICATE_TOOL
 */
export function createPhaseServer({
  name = "phasekit",
  version = "0.0.0",
  tools,
  resources = [],
  instructions,
  bound = {},
  maxInputLength = 200_000,
  onError = () => undefined,
}: PhaseServerOptions): McpServer {
  const toolsByName = byName(tools);
  const resourcesByUri = new Map(resources.map((resource) => [resource.uri, resource]));
  const text = typeof instructions === "function" ? instructions() : instructions;
  const made = new McpServer(
    { name, version },
    {
      capabilities: { tools: {}, ...(resources.length > 0 && { resources: {} }) },
      ...defined({ instructions: text }),
    },
  );

  // Own handlers: plain tools have JSON Schemas and check their input themselves, with better messages.
  const { server } = made;
  server.setRequestHandler("tools/list", () => ({
    tools: tools.map(({ name: tool, description, inputSchema }) => ({
      name: tool,
      description,
      inputSchema: { ...inputSchema, type: "object" as const },
      outputSchema: { ...resultSchema, required: [...resultSchema.required] },
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    const tool = toolsByName.get(params.name);
    if (tool === undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool "${params.name}". Use one of: ${[...toolsByName.keys()].join(", ")}.`,
      );
    return { ...(await callTool(tool, params.arguments ?? {}, { bound, maxInputLength, onError })) };
  });
  if (resources.length === 0) return made;
  server.setRequestHandler("resources/list", () => ({
    resources: resources.map(({ uri, name: title, description, mimeType = "text/markdown" }) => ({
      uri,
      name: title,
      mimeType,
      ...defined({ description }),
    })),
  }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    const resource = resourcesByUri.get(uri);
    if (resource === undefined) throw new ResourceNotFoundError(uri);
    return { contents: [{ uri, mimeType: resource.mimeType ?? "text/markdown", text: await resource.read() }] };
  });
  return made;
}

function byName(tools: readonly PlainTool[]): ReadonlyMap<string, PlainTool> {
  const found = new Map<string, PlainTool>();
  for (const tool of tools) {
    if (found.has(tool.name)) throw duplicateTool(tool.name);
    found.set(tool.name, tool);
  }
  return found;
}
