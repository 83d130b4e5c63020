import type { PhaseServerOptions } from "./phase-server.ts";

/** How a server is reached over HTTP. */
export interface HttpSettings {
  /** @default a free one */
  readonly port?: number;
  /** An address of this machine alone. @default "127.0.0.1" */
  readonly host?: string;
  /** What clients send as `Authorization: Bearer …`. @default the variable PHASEKIT_MCP_TOKEN, or a new one that is printed */
  readonly token?: string;
  /** Pages that may call from a browser, such as "http://localhost:5173". @default none */
  readonly allowedOrigins?: readonly string[];
}

/** What the file of `phasekit-mcp` describes. */
export interface ServerDefinition extends PhaseServerOptions {
  /** Serves over HTTP instead of stdio. @default stdio */
  readonly http?: HttpSettings;
  /** Called once before the process ends: end the run here, close its archive. */
  readonly close?: () => void | Promise<void>;
}

/**
 * The one file of `phasekit-mcp`, with types. What is made in it, such as a run, lives as long as the process.
 *
 * @example
 * export default defineServer({ tools: [phaseStatusTool(run)], close: () => void run.end() });
 */
export function defineServer<TDefinition extends ServerDefinition | (() => ServerDefinition | Promise<ServerDefinition>)>(definition: TDefinition): TDefinition {
  return definition;
}
