import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { RunPort } from "@phasekit/core";
import { SOURCE_FLAG } from "@phasekit/tooling/source-condition";
import { withPhases } from "../src/index.ts";

/** The answer to a call, as far as tests look at it. */
interface Answer {
  readonly text: string;
  readonly isError: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A connected client of some SDK. */
export interface Connected {
  readonly call: (name: string, input?: object) => Promise<Answer>;
  readonly tools: () => Promise<readonly { readonly name: string; readonly inputSchema: object }[]>;
  readonly resources: () => Promise<readonly string[]>;
  readonly read: (uri: string) => Promise<string>;
  readonly instructions: () => string | undefined;
  readonly close: () => Promise<void>;
}

/** How to start the program, or where it listens. */
type Place = (
  | { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }
  | { readonly url: string; readonly token: string }
) & {
  /** A run to put behind the client. */
  readonly run?: RunPort;
};

export interface ClientKind {
  readonly name: string;
  readonly connect: (place: Place) => Promise<Connected>;
}

const info = { name: "test", version: "1.0.0" };

/** The official clients: the new one in both protocol eras, and the one most hosts have. */
export const clientKinds: readonly ClientKind[] = [
  {
    name: "client 2, protocol 2026-07-28",
    connect: (place) => connect2(place, { versionNegotiation: { mode: { pin: "2026-07-28" } } }),
  },
  { name: "client 2, protocol 2025", connect: (place) => connect2(place, {}) },
  { name: "sdk 1", connect: connect1 },
];

async function connect2(place: Place, options: ConstructorParameters<typeof Client2>[1]): Promise<Connected> {
  const client = new Client2(info, options);
  await client.connect(
    "url" in place
      ? new Http2(new URL(place.url), { requestInit: { headers: { authorization: `Bearer ${place.token}` } } })
      : new Stdio2({
          command: process.execPath,
          args: [SOURCE_FLAG, ...place.args],
          env: { ...place.env },
          stderr: "ignore",
        }),
  );
  return connected(place.run === undefined ? client : withPhases(place.run, client));
}

async function connect1(place: Place): Promise<Connected> {
  const client = new Client1(info);
  const transport =
    "url" in place
      ? new Http1(new URL(place.url), { requestInit: { headers: { authorization: `Bearer ${place.token}` } } })
      : new Stdio1({
          command: process.execPath,
          args: [SOURCE_FLAG, ...place.args],
          env: { ...place.env },
          stderr: "ignore",
        });
  await client.connect(transport);
  return connected((place.run === undefined ? client : withPhases(place.run, client)) as unknown as Client2);
}

function connected(client: Client2): Connected {
  return {
    call: async (name, input = {}) => {
      const {
        content,
        isError = false,
        structuredContent = {},
      } = (await client.callTool({ name, arguments: { ...input } })) as {
        content: { text: string }[];
        isError?: boolean;
        structuredContent?: Record<string, unknown>;
      };
      return { text: content.map(({ text }) => text).join(""), isError, data: structuredContent };
    },
    tools: async () => (await client.listTools()).tools,
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    read: async (uri) =>
      (await client.readResource({ uri })).contents.map((part) => ("text" in part ? part.text : "")).join(""),
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}
