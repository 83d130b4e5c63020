// Part of the hook command: no imports but these.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { type LooseObject, nameIn, toObject } from "@phasekit/core/adapter";

export interface McpBridgeOptions {
  readonly input: NodeJS.ReadableStream;
  /** Writes one line. */
  readonly send: (line: string) => void;
  /** The file with the token that hooks have and models do not. */
  readonly config: string;
  /** Asks about one hook event; resolves with the agent's answer as JSON text, or nothing. */
  readonly ask: (payload: object) => Promise<string>;
}

/**
 * A server of the Model Context Protocol with one tool, `hook`, for agents whose hooks call tools: one process per
 * session instead of one per event. The model sees the tool too, so a call without the token is refused.
 */
export async function serveMcpBridge({ input, send, config, ask }: McpBridgeOptions): Promise<void> {
  const answer = async (method: string, params: LooseObject): Promise<object | undefined> => {
    switch (method) {
      case "initialize":
        return {
          protocolVersion: nameIn(params["protocolVersion"]) ?? "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "phasekit", version: "1" },
        };
      case "ping":
        return {};
      case "tools/list":
        return {
          tools: [{ name: "hook", description: "For Phasekit's hooks only.", inputSchema: { type: "object" } }],
        };
      case "tools/call":
        return callHook(toObject(params["arguments"]));
      default:
        return undefined;
    }
  };

  async function callHook({ token, ...payload }: LooseObject): Promise<object> {
    if (nameIn(token) === undefined || token !== tokenIn(config)) {
      const text = "This tool is for Phasekit's hooks. It does nothing for you; continue with your work.";
      return { isError: true, content: [{ type: "text", text }] };
    }
    const text = await ask(payload);
    return { content: [{ type: "text", text: text === "" ? "{}" : text }] };
  }

  for await (const line of createInterface({ input })) {
    let request: LooseObject;
    try {
      request = toObject(JSON.parse(line));
    } catch {
      continue;
    }
    const { id, method, params } = request;
    // Notifications get no answer.
    if (id === undefined || typeof method !== "string") continue;
    const result = await answer(method, toObject(params)).catch(() => ({ content: [] }));
    const error = { code: -32_601, message: "Method not found" };
    send(JSON.stringify({ jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) }));
  }
}

function tokenIn(config: string): string | undefined {
  try {
    return nameIn(toObject(toObject(JSON.parse(readFileSync(config, "utf8")))["mcp"])["token"]);
  } catch {
    return undefined;
  }
}
