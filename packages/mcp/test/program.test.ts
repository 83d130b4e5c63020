import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkDefinition, loadServer } from "../src/node/load-server.ts";
import { main } from "../src/node/main.ts";
import { clientKinds } from "./clients.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "phasekit-mcp-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const SERVER = `export default () => ({
  tools: [{
    name: "hello",
    description: "Says hello.",
    inputSchema: { type: "object" },
    execute: () => ({ ok: true, text: "Hello." }),
  }],
  close: () => { globalThis.closedServers = (globalThis.closedServers ?? 0) + 1; },
});
`;

const message = (members: object): string => `${JSON.stringify({ jsonrpc: "2.0", ...members })}\n`;

/** Starts the program with streams, environment and signal of the test. */
function start(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const said: string[] = [];
  const leaving = new AbortController();
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const code = main(argv, { folder, env, stdin, stdout, say: (line) => void said.push(line), signal: leaving.signal });
  return { said, code, stdin, stdout, leave: () => leaving.abort() };
}

describe("phasekit-mcp", () => {
  it("--help prints the usage", async () => {
    const { said, code } = start(["--help"]);
    expect(await code).toBe(0);
    expect(said.join("\n")).toMatchInlineSnapshot(`
      "Usage: phasekit-mcp [<file>] [--http] [--port <number>]

      Serves the tools of <file> over the Model Context Protocol. Its default export is
      defineServer({ tools, resources, instructions, bound, http, close }) from @phasekit/mcp.
      The default is phasekit.mcp.js, .mjs, .ts or .mts in this folder.

        --http             Serve over HTTP on this machine instead of stdio
        --port <number>    Listen on this port (implies --http)
        --help             Show this help

      The HTTP token is \`http.token\` of the file, then PHASEKIT_MCP_TOKEN, then a new token that is printed."
    `);
  });

  it.each([
    { argv: ["--port", "many"], says: '"many" is not a port. Use a number from 0 to 65535.' },
    { argv: ["--port", "65536"], says: '"65536" is not a port. Use a number from 0 to 65535.' },
    { argv: ["a.js", "b.js"], says: "Expected one file, got 2." },
    { argv: ["--verbose"], says: "--verbose" },
  ])("phasekit-mcp exits with code 2 on $argv", async ({ argv, says }) => {
    const { said, code } = start(argv);
    expect(await code).toBe(2);
    expect(said[0]).toContain(says);
  });

  it("phasekit-mcp prints every problem of its file and exits with code 1", async () => {
    writeFileSync(
      join(folder, "phasekit.mcp.mjs"),
      'export default { tools: [{ name: "x", execute: 5 }], resources: [{}], port: 80, close: true };',
    );
    const { said, code } = start([]);
    expect(await code).toBe(1);
    expect(said.join("\n").replaceAll(folder, ".")).toMatchInlineSnapshot(`
      "./phasekit.mcp.mjs does not define a server:
      - tools[0].description is not a string
      - tools[0].inputSchema is not a JSON Schema
      - tools[0].execute is not a function
      - resources[0] has no \`uri\` or no \`read\`
      - \`close\` is not a function
      - \`port\` is not an option
      Write \`export default defineServer({ tools: [...] });\`, or export a function that returns a definition.
      (INVALID_SERVER_FILE)"
    `);
  });

  it.each([
    { name: "is missing", text: undefined, says: "the file does not exist" },
    { name: "exports nothing", text: "export const tools = [];", says: "the default export is not an object" },
    { name: "throws", text: 'throw new Error("no database");', says: "no database" },
    {
      name: "gives a function that throws",
      text: 'export default () => { throw new Error("no store"); };',
      says: "no store",
    },
    {
      name: "has no tools",
      text: "export default { tools: [] };",
      says: "`tools` is not an array with at least one tool",
    },
  ])("phasekit-mcp refuses a file that $name", async ({ text, says }) => {
    if (text !== undefined) writeFileSync(join(folder, "server.mjs"), text);
    await expect(loadServer({ folder, file: "server.mjs" })).rejects.toMatchObject({
      code: "INVALID_SERVER_FILE",
      message: expect.stringContaining(says) as unknown,
    });
  });

  it("checkDefinition accepts a definition with every option", () => {
    const tool = { name: "x", description: "x", inputSchema: {}, execute: () => ({ ok: true, text: "" }) };
    expect(
      checkDefinition({
        name: "n",
        version: "1",
        tools: [tool],
        resources: [],
        instructions: "i",
        bound: {},
        maxInputLength: 5,
        onError: () => undefined,
        http: {},
        close: () => undefined,
      }),
    ).toEqual([]);
  });

  it.each<{ readonly name: string; readonly env: Readonly<Record<string, string>>; readonly printed: boolean }>([
    { name: "a new token, which it prints", env: {}, printed: true },
    {
      name: "the token of the environment, which it keeps to itself",
      env: { PHASEKIT_MCP_TOKEN: "from-the-environment-1" },
      printed: false,
    },
  ])("phasekit-mcp serves over HTTP with $name until the signal aborts", async ({ env, printed }) => {
    writeFileSync(join(folder, "phasekit.mcp.mjs"), SERVER);
    const { said, code, leave } = start(["--port", "0"], env);
    await expect.poll(() => said.length, { timeout: 600_000 }).toBe(printed ? 2 : 1);
    const url = said[0]?.replace("Listening on ", "") ?? "";
    const token = printed ? (said[1]?.replace("Token: ", "") ?? "") : (env["PHASEKIT_MCP_TOKEN"] ?? "");
    expect(token.length).toBeGreaterThanOrEqual(16);
    const client = await clientKinds[0]!.connect({ url, token });
    expect((await client.call("hello")).text).toBe("Hello.");
    await client.close();
    leave();
    expect(await code).toBe(0);
    expect(said.join("\n").includes("from-the-environment-1")).toBe(false);
    await expect(fetch(url)).rejects.toThrow();
  });

  it("phasekit-mcp serves over its streams until the input ends, then calls close", async () => {
    writeFileSync(join(folder, "server.mjs"), SERVER);
    const closed = (): number => (globalThis as { closedServers?: number }).closedServers ?? 0;
    const before = closed();
    const { code, stdin, stdout } = start(["server.mjs"]);
    const lines: string[] = [];
    stdout.setEncoding("utf8").on("data", (text: string) => lines.push(...text.trim().split("\n")));
    stdin.write(
      message({
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
      }),
    );
    await expect.poll(() => lines.length, { timeout: 600_000 }).toBe(1);
    stdin.write(
      `{ not a message\n${message({ id: 2, method: "tools/call", params: { name: "hello", arguments: {} } })}`,
    );
    await expect.poll(() => lines.length, { timeout: 600_000 }).toBe(2);
    expect(JSON.parse(lines[1] ?? "")).toMatchObject({
      id: 2,
      result: { content: [{ text: "Hello." }], structuredContent: { ok: true, text: "Hello." } },
    });
    expect(closed()).toBe(before);
    stdin.end();
    expect(await code).toBe(0);
    expect(closed()).toBe(before + 1);
  });

  it("phasekit-mcp ends the connection on a message over the size limit", async () => {
    writeFileSync(join(folder, "server.mjs"), SERVER);
    const { code, stdin, said } = start(["server.mjs"]);
    stdin.write(`{"jsonrpc":"2.0","id":1,"method":"${"x".repeat(5_000_000)}`);
    expect(await code).toBe(0);
    expect(said.join("\n")).toMatch(/buffer|size|exceed/i);
  });
});
