import { serveStdio as serve, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Readable, Writable } from "node:stream";
import { createPhaseServer, type PhaseServerOptions } from "../phase-server.ts";

export interface StdioOptions {
  /** @default the input of the process */
  readonly stdin?: Readable;
  /** Nothing else may be written to it. @default the output of the process */
  readonly stdout?: Writable;
  /** A longer message ends the connection. @default 4194304 */
  readonly maxMessageBytes?: number;
  /** Told what went wrong outside of any call. */
  readonly onError?: (error: unknown) => void;
}

/** A connection. */
export interface StdioConnection {
  /** Resolves when the connection has ended, whoever ended it. */
  readonly closed: Promise<void>;
  readonly close: () => Promise<void>;
}

/** Serves one client over the standard streams, as hosts start MCP servers. Clients of every protocol version since 2024 are served. */
export function serveStdio(options: PhaseServerOptions, { stdin = process.stdin, stdout = process.stdout, maxMessageBytes = 4_194_304, onError = () => undefined }: StdioOptions = {}): StdioConnection {
  const transport = new StdioServerTransport(stdin, stdout, { maxBufferSize: maxMessageBytes });
  let settle: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    settle = resolve;
  });
  // The SDK takes `onclose` for itself; that it closes is seen here.
  const close = transport.close.bind(transport);
  transport.close = async () => {
    await close();
    settle();
  };
  const handle = serve(() => createPhaseServer(options), { transport, onerror: onError });
  return { closed, close: () => handle.close() };
}
