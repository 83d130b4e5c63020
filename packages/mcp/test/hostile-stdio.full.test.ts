import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clientKinds } from "./clients.ts";

const BIN = fileURLToPath(new URL("../src/bin.ts", import.meta.url));
const SERVER = `import { appendFileSync } from "node:fs";
const events = new URL("events.txt", import.meta.url);
export default () => ({
  tools: [{
    name: "hello", description: "Says hello.", inputSchema: { type: "object" },
    execute: async ({ wait = 0, fail = false }) => {
      await new Promise((done) => setTimeout(done, wait));
      appendFileSync(events, "called\\n");
      if (fail) throw new Error("cannot open /etc/secret/key.pem");
      return { ok: true, text: "Hello." };
    },
  }],
  close: () => appendFileSync(events, "closed\\n"),
});
`;
const message = (members: object): string => `${JSON.stringify({ jsonrpc: "2.0", ...members })}\n`;
const INITIALIZE = message({
  id: "init",
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
});
const call = (id: unknown, input: object = {}, name = "hello"): string =>
  message({ id, method: "tools/call", params: { name, arguments: input } });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "phasekit-stdio-"));
  writeFileSync(join(folder, "server.mjs"), SERVER);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly answers: readonly {
    readonly id?: unknown;
    readonly result?: unknown;
    readonly error?: { readonly code: number };
  }[];
  readonly errors: string;
}

/** Starts the program, sends bytes, and closes its input when so many answers have come. */
async function talk(sent: string | Buffer, { until }: { readonly until: number }): Promise<Ended> {
  const child = spawn(process.execPath, [BIN, "server.mjs"], { cwd: folder });
  let out = "";
  let errors = "";
  let open = true;
  const lines = (): readonly string[] => out.split("\n").filter((line) => line !== "");
  const endWhenDone = (): void => {
    if (!open || lines().length < until + 1) return;
    open = false;
    child.stdin.end();
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (out === "") {
      child.stdin.write(sent);
      // Nothing is expected: the input ends with what was sent.
      if (until === 0) child.stdin.end();
    }
    out += text;
    endWhenDone();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  child.stdin.on("error", () => undefined);
  child.stdin.write(INITIALIZE);
  const code = await new Promise<number | null>((resolve) => child.on("exit", resolve));
  return {
    code,
    answers: lines()
      .slice(1)
      .map((line) => JSON.parse(line) as Ended["answers"][number]),
    errors,
  };
}

const outcome = ({ answers }: Ended): readonly string[] =>
  answers
    .map(({ id, error }) => `${JSON.stringify(id)} ${error === undefined ? "answered" : String(error.code)}`)
    .toSorted();

describe("phasekit-mcp and a hostile client", () => {
  it.each([
    { name: "lines that are not JSON", sent: `{bad\n\n \n"x"\n7\nnull\n{}\n${call(1)}`, gets: ["1 answered"] },
    {
      name: "bytes that are not text",
      sent: Buffer.concat([Buffer.from([0, 255, 254, 10, 128, 129, 10]), Buffer.from(call(1))]),
      gets: ["1 answered"],
    },
    {
      name: "one id three times",
      sent: call(1, { wait: 20 }) + call(1) + call(1),
      gets: ["1 answered", "1 answered", "1 answered"],
    },
    {
      name: "methods and tools that are names of objects",
      sent:
        ["__proto__", "constructor"].map((method, id) => message({ id, method })).join("") +
        call(2, {}, "__proto__") +
        call(3),
      gets: ["0 -32601", "1 -32601", "2 -32602", "3 answered"],
    },
    {
      name: "keys that reach a prototype",
      sent: [
        '{"jsonrpc":"2.0","id":1,"method":"tools/call",',
        '"params":{"name":"hello","arguments":{"__proto__":{"ok":false},"constructor":{"prototype":{"a":1}}}}}\n',
        '{"jsonrpc":"2.0","id":2,"method":"tools/list","__proto__":{"a":1}}\n',
        call(3),
      ].join(""),
      gets: ["1 answered", "2 -32600", "3 answered"],
    },
    {
      name: "a batch",
      sent: `[${call(1).trim()},${call(2).trim()},7,{}]\n${call(3)}`,
      gets: ["1 -32600", "2 -32600", "3 answered"],
    },
    {
      name: "members of the wrong kind",
      sent: [
        '{"jsonrpc":"1.0","id":1,"method":"tools/list"}\n',
        message({ id: 2, method: "tools/call", params: [] }),
        message({ id: 3, method: 7 }),
        message({ id: {}, method: "tools/list" }),
        message({ id: 9, result: {} }),
        call("x"),
      ].join(""),
      gets: ['"x" answered', "1 -32600", "2 -32600", "3 -32600"],
    },
    {
      name: "20,000 notifications",
      sent: message({ method: "notifications/none" }).repeat(20_000) + call(1),
      gets: ["1 answered"],
    },
    {
      name: "cancellations of calls that are not there",
      sent:
        Array.from({ length: 2000 }, (_, n) =>
          message({ method: "notifications/cancelled", params: { requestId: n + 10 } }),
        ).join("") + call(1),
      gets: ["1 answered"],
    },
    {
      name: "an input that is too long",
      sent: call(1, { a: "x".repeat(300_000) }) + call(2),
      gets: ["1 answered", "2 answered"],
    },
    {
      name: "lists 100,000 deep",
      sent: [
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hello","arguments":{"a":',
        `${"[".repeat(100_000)}${"]".repeat(100_000)}}}}\n`,
        call(2),
      ].join(""),
      gets: ["1 -32603", "2 answered"],
    },
    { name: "lines that end as on Windows", sent: call(1).replace("\n", "\r\n"), gets: ["1 answered"] },
  ])(
    "phasekit-mcp keeps serving after $name",
    async ({ sent, gets }) => {
      const ended = await talk(sent, { until: gets.length });
      expect(outcome(ended)).toEqual(gets);
      expect(ended.code).toBe(0);
      expect(readFileSync(join(folder, "events.txt"), "utf8")).toMatch(/closed\n$/);
    },
    60_000,
  );

  it("phasekit-mcp exits with code 0 on a message without an end, and on one that is cut off", async () => {
    expect(await talk(`{"jsonrpc":"2.0","id":1,"method":"${"x".repeat(5_000_000)}`, { until: 0 })).toMatchObject({
      code: 0,
      answers: [],
    });
    expect(await talk(call(1).slice(0, 40), { until: 0 })).toMatchObject({ code: 0, answers: [] });
  });

  it("phasekit-mcp finishes the call of a client that left before it calls close", async () => {
    expect((await talk(call(1, { wait: 400 }), { until: 0 })).code).toBe(0);
    expect(readFileSync(join(folder, "events.txt"), "utf8")).toBe("called\nclosed\n");
  });

  it("phasekit-mcp exits with code 0 when its client stops reading", async () => {
    const child = spawn(process.execPath, [BIN, "server.mjs"], { cwd: folder, stdio: ["pipe", "pipe", "pipe"] });
    child.stdin.on("error", () => undefined);
    child.stdout.once("data", () => {
      child.stdout.destroy();
      child.stdin.write(call(1) + call(2, { wait: 100 }));
    });
    child.stdin.write(INITIALIZE);
    expect(await new Promise((resolve) => child.on("exit", resolve))).toBe(0);
  });

  it("phasekit-mcp hides the paths in a thrown error from the client", async () => {
    const { answers, code } = await talk(call(1, { fail: true }) + message({ id: 2, method: "tools/list" }), {
      until: 2,
    });
    expect(code).toBe(0);
    expect(JSON.stringify(answers)).not.toMatch(/\/etc\/secret|node_modules|\.mjs|\bat /);
    expect(JSON.stringify(answers)).not.toContain(folder);
  });

  it.each(clientKinds)(
    "phasekit-mcp serves $name",
    async ({ connect }) => {
      const client = await connect({ args: [BIN, join(folder, "server.mjs")], env: {} });
      expect((await client.call("hello")).text).toBe("Hello.");
      await client.close();
    },
    60_000,
  );
});
