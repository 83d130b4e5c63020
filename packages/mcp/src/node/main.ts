import { isPhasekitError } from "@phasekit/core";
import { defined } from "@phasekit/core/adapter";
import { randomBytes } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { parseArgs } from "node:util";
import type { ServerDefinition } from "../define-server.ts";
import { loadServer } from "./load-server.ts";
import { serveHttp } from "./serve-http.ts";
import { serveStdio } from "./serve-stdio.ts";

/** Streams, environment and signal of the program. */
export interface ProgramContext {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Prints a line for people, to standard error: standard output belongs to the protocol. */
  readonly say: (line: string) => void;
  /** Aborts when the program should end. */
  readonly signal: AbortSignal;
}

const HELP = `Usage: phasekit-mcp [<file>] [--http] [--port <number>]

Serves the tools of <file> over the Model Context Protocol. Its default export is
defineServer({ tools, resources, instructions, bound, http, close }) from @phasekit/mcp.
The default is phasekit.mcp.js, .mjs, .ts or .mts in this folder.

  --http             Serve over HTTP on this machine instead of stdio
  --port <number>    Listen on this port (implies --http)
  --help             Show this help

The HTTP token is \`http.token\` of the file, then PHASEKIT_MCP_TOKEN, then a new token that is printed.`;

/** Runs the program until its connection or its signal ends it. Returns the exit code. */
export async function main(argv: readonly string[], context: ProgramContext): Promise<number> {
  const parsed = readArguments(argv);
  if (typeof parsed === "string") {
    context.say(`${parsed}\n\n${HELP}`);
    return 2;
  }
  if (parsed.help) {
    context.say(HELP);
    return 0;
  }
  try {
    const definition = await loadServer({
      folder: context.folder,
      ...defined({ file: parsed.file }),
    });
    const overHttp = parsed.http || parsed.port !== undefined || definition.http !== undefined;
    await (overHttp ? runHttp(definition, context, parsed.port) : runStdio(definition, context));
    await definition.close?.();
    return 0;
  } catch (error) {
    const { message, hint, code } = isPhasekitError(error)
      ? error
      : { message: error instanceof Error ? error.message : String(error), hint: undefined, code: "FAILED" };
    context.say([message, ...(hint === undefined ? [] : [hint]), `(${code})`].join("\n"));
    return 1;
  }
}

interface Arguments {
  readonly file: string | undefined;
  readonly http: boolean;
  readonly port: number | undefined;
  readonly help: boolean;
}

function readArguments(argv: readonly string[]): Arguments | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: { http: { type: "boolean" }, port: { type: "string" }, help: { type: "boolean", short: "h" } },
    });
    const port = values.port === undefined ? undefined : Number(values.port);
    if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port < 65_536))
      return `"${String(values.port)}" is not a port. Use a number from 0 to 65535.`;
    if (positionals.length > 1) return `Expected one file, got ${String(positionals.length)}.`;
    return { file: positionals[0], http: values.http === true, port, help: values.help === true };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function runStdio(definition: ServerDefinition, { stdin, stdout, say, signal }: ProgramContext): Promise<void> {
  const connection = serveStdio(withErrors(definition, say), {
    stdin,
    stdout,
    // The error contains client input, which must not fill the log.
    onError: (error) => say(String(error).slice(0, 300)),
  });
  signal.addEventListener("abort", () => void connection.close(), { once: true });
  await connection.closed;
}

async function runHttp(
  definition: ServerDefinition,
  { env, say, signal }: ProgramContext,
  port: number | undefined,
): Promise<void> {
  const { http = {} } = definition;
  const given = http.token ?? env["PHASEKIT_MCP_TOKEN"];
  const token = given ?? randomBytes(24).toString("base64url");
  const server = await serveHttp(withErrors(definition, say), {
    ...http,
    ...defined({ port }),
    token,
    onError: (error) => say(String(error)),
  });
  say(`Listening on ${server.url}`);
  if (given === undefined) say(`Token: ${token}`);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await server.close();
}

/** Prints the errors of tools, unless the file sets its own `onError`. */
function withErrors(definition: ServerDefinition, say: (line: string) => void): ServerDefinition {
  return {
    onError: (error) => say(error instanceof Error ? (error.stack ?? error.message) : String(error)),
    ...definition,
  };
}
