import { serveStdio as serve, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Readable, Writable } from "node:stream";
import { createPhaseServer, type PhaseServerOptions } from "../phase-server.ts";
import { refuseMalformed } from "./refuse-malformed.ts";

/** Options for `serveStdio()`. All optional. */
export interface StdioOptions {
  /** @default the input of the process */
  readonly stdin?: Readable;
  /** Nothing else may be written to it. @default the output of the process */
  readonly stdout?: Writable;
  /** A longer message ends the connection. @default 4194304 */
  readonly maxMessageBytes?: number;
  /** Receives errors that happen outside of any call. */
  readonly onError?: (error: unknown) => void;
}

/** A connection to one client. */
export interface StdioConnection {
  /** Resolves when the connection has ended, from either side, and the calls it started are over. */
  readonly closed: Promise<void>;
  readonly close: () => Promise<void>;
}

/** Serves one client over the standard streams, with any protocol version since 2024. */
export function serveStdio(
  options: PhaseServerOptions,
  {
    stdin = process.stdin,
    stdout = process.stdout,
    maxMessageBytes = 4_194_304,
    onError = () => undefined,
  }: StdioOptions = {},
): StdioConnection {
  const input = refuseMalformed({ maxMessageBytes, answer: (line) => void stdout.write(line) });
  const transport = new StdioServerTransport(input, stdout, { maxBufferSize: maxMessageBytes });
  const { tools, finished } = trackCalls(options.tools);
  let settle: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    settle = resolve;
  });
  // The SDK uses `onclose` itself, so wrap `close`.
  const close = transport.close.bind(transport);
  transport.close = async () => {
    await close();
    stdin.unpipe(input);
    stdin.pause();
    settle();
  };
  const handle = serve(() => createPhaseServer({ ...options, tools }), { transport, onerror: onError });
  // A client that stops reading ends the connection; without a listener the error would end the process.
  stdout.on("error", (error) => {
    onError(error);
    void handle.close();
  });
  stdin.on("error", onError);
  stdin.pipe(input);
  return { closed: closed.then(finished), close: () => handle.close() };
}

/** Milliseconds that calls may continue after their connection has ended. */
const MAX_AFTER_CLOSE = 5000;

/** Wraps the tools so that `finished` waits for running calls: a call must not write to a store that is closed. */
function trackCalls(tools: PhaseServerOptions["tools"]): {
  readonly tools: PhaseServerOptions["tools"];
  readonly finished: () => Promise<void>;
} {
  const running = new Set<Promise<unknown>>();
  return {
    tools: tools.map((tool) => ({
      ...tool,
      execute: async (input) => {
        const call = Promise.resolve(tool.execute(input));
        const over = call.catch(() => undefined);
        running.add(over);
        void over.then(() => running.delete(over));
        return call;
      },
    })),
    finished: async () => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, MAX_AFTER_CLOSE);
      });
      await Promise.race([Promise.all(running), late]);
      clearTimeout(timer);
    },
  };
}
