import type { PhaseServerOptions } from "./phase-server.ts";

/** HTTP settings of a server. */
export interface HttpSettings {
  /** @default a free port */
  readonly port?: number;
  /** A loopback address. @default "127.0.0.1" */
  readonly host?: string;
  /**
   * Token that clients send as `Authorization: Bearer …`.
   *
   * @default the variable PHASEKIT_MCP_TOKEN, or a new token that the program prints
   */
  readonly token?: string;
  /** Origins that may call from a browser, such as "http://localhost:5173". @default none */
  readonly allowedOrigins?: readonly string[];
}

/** Definition of a server: the default export of the file `phasekit-mcp` loads. */
export interface ServerDefinition extends PhaseServerOptions {
  /** Serves over HTTP instead of stdio. @default stdio */
  readonly http?: HttpSettings;
  /** Called once before the process ends: end the run here, wait until it is stored. */
  readonly close?: () => void | Promise<void>;
}

/**
 * Types the file that `phasekit-mcp` loads. A run or store created in it lives as long as the process.
 *
 * @example
 * export default defineServer({ tools: [phaseStatusTool(run)], close: () => void run.end() });
 */
export function defineServer<
  TDefinition extends ServerDefinition | (() => ServerDefinition | Promise<ServerDefinition>),
>(definition: TDefinition): TDefinition {
  return definition;
}
