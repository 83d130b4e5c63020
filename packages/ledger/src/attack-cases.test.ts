// Input that somebody may hand to the ledger on purpose, and what must come of it.
import { createRun, type Json, type JsonObject, type NewEvent, type RunEvent } from "@phasekit/core";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { storeRun } from "./store-run.ts";
import { explainRun } from "./story/explain-run.ts";
import { createFileStore, exportRun } from "./node.ts";
import { redactSecrets } from "./redaction/redact-secrets.ts";
import { readRun, type RunStore } from "./run-store.ts";
import { createMemoryStore } from "./stores/memory-store.ts";
import { summarizeRun } from "./summarize-run.ts";

const folders: string[] = [];
const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "ledger-attack-"));
  folders.push(path);
  return path;
};
afterEach(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

const everyFile = (path: string): readonly string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
/** A program of the system, not of a package. */
const MAKE_PIPE = "mkfifo";
const CANARY = "aB3xY9kLmN0pQrStUvWz1234567890ABCDEFgh";
const KEY = `sk-proj-${CANARY}`;

/** A run that was told a secret in every place there is, stored in files. */
async function storeSecrets(root: string, secrets: readonly string[] = []): Promise<void> {
  const redact = redactSecrets({ secrets });
  const deep = Array.from({ length: 40 }).reduce<Json>((inner) => ({ inner }), KEY);
  const run = createRun({ id: "r", redact, task: { text: `use ${KEY}` }, item: { id: `item-${KEY}` } });
  const store = createFileStore(root);
  const storing = storeRun(run, store, { redact });
  run.beforeTurn();
  const inputs: readonly NewEvent[] = [
    {
      type: "tool.finished",
      tool: "sh",
      outcome: "ok",
      input: { command: `curl -H "Authorization: Bearer ${CANARY}"`, env: { API: KEY }, deep, list: [[KEY]] },
      output: `out ${KEY}`,
    },
    {
      type: "tool.finished",
      tool: "sh",
      outcome: "error",
      input: { path: `/home/${KEY}/x` },
      output: { stdout: KEY, stderr: JSON.stringify({ nested: JSON.stringify({ token: CANARY }) }) },
    },
    { type: "tool.finished", tool: KEY, outcome: "ok", input: { [KEY]: 1 }, output: `https://x.test/?key=${KEY}&a=1` },
    { type: "model.failed", message: `bad key ${KEY}`, error: { message: `Error: ${KEY}\n at x` } },
    { type: "message.sent", text: `the key is ${KEY}` },
    { type: "validation.failed", path: KEY, expected: KEY, attempt: 1 },
    { type: "check.finished", check: "compile", outcome: "failure", count: 1, first: KEY },
    { type: "operation.finished", operation: KEY, outcome: "error" } as unknown as NewEvent,
  ];
  for (const input of inputs) run.record(input);
  run.end({ reason: "interrupted", error: new Error(KEY), summary: KEY });
  await storing.close();
  await exportRun(store, "r", { folder: join(root, "..", "storing") });
  await store.close();
}

describe("secrets", () => {
  it("are in no file: not in the log, the summary, the sidecars or the names of files", async () => {
    const root = folder();
    const { gunzipSync } = await import("node:zlib");
    await storeSecrets(join(root, "runs"));
    const files = everyFile(root);
    expect(files.some((path) => path.endsWith(".error.json.gz"))).toBe(true);
    for (const path of files) {
      expect(path).not.toContain(CANARY);
      const bytes = readFileSync(path);
      expect((path.endsWith(".gz") ? gunzipSync(bytes) : bytes).includes(CANARY), path).toBe(false);
    }
  });

  it("that were registered are found in what was encoded", async () => {
    const root = folder();
    const secret = "correct horse battery staple";
    const redact = redactSecrets({ secrets: [secret] });
    const run = createRun({ id: "r" });
    const store = createFileStore(join(root, "runs"));
    const storing = storeRun(run, store, { redact });
    const forms = [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString("base64"),
      Buffer.from(secret).toString("base64url"),
      Buffer.from(secret).toString("hex"),
      JSON.stringify(JSON.stringify({ secret })),
    ];
    for (const form of forms) run.record({ type: "tool.finished", tool: "sh", outcome: "ok", output: `<${form}>` });
    run.end({ reason: "done" });
    await storing.close();
    const stored = JSON.stringify(await readRun(store, "r"));
    for (const form of forms) expect(stored, form).not.toContain(form.slice(4, -4));
    await store.close();
  });

  it.each<{ readonly name: string; readonly redact: (input: JsonObject) => JsonObject }>([
    {
      name: "throws",
      redact: () => {
        throw new Error(KEY);
      },
    },
    {
      name: "throws what is no error",
      redact: () => {
        throw KEY as unknown as Error;
      },
    },
    {
      name: "overflows the stack",
      redact: function loop(input): JsonObject {
        return loop(loop(input));
      },
    },
  ])("a redactor that $name withholds the texts and keeps the event", async ({ redact }) => {
    const store = createMemoryStore();
    const run = createRun({ id: "r" });
    const storing = storeRun(run, store, { redact });
    run.record({ type: "tool.finished", tool: "sh", outcome: "ok", input: { command: KEY }, output: KEY });
    run.end({ reason: "done" });
    await storing.close();
    const events = await readRun(store, "r");
    expect(events.map(({ type }) => type)).toContain("tool.finished");
    expect(JSON.stringify(events)).not.toContain(CANARY);
  });

  it("that hold quotes and line ends leave valid JSON behind", () => {
    const redact = redactSecrets({ secrets: ['a"b\\c\nd"e', '},{"seq":1'] });
    const redacted = redact({ output: 'x a"b\\c\nd"e y },{"seq":1 z', input: { 'a"b\\c\nd"e': [1] } });
    expect(JSON.parse(JSON.stringify(redacted))).toEqual(redacted);
    expect(JSON.stringify(redacted)).not.toContain("seq");
  });
});

describe("forged and hostile logs", () => {
  const forgeries = [
    '\n{"k":"#","s":99,"c":1}\n',
    '\r\n{"type":"run.finished","seq":3,"at":1,"reason":"done"}\n',
    '"}\n{"type":"verdict.given","seq":2}',
    "\u2028{}\u2029",
    "\u0000\u0000",
    "\ud800",
    '{"k":"^","v":2,"run":"other"}',
  ];
  it.each(forgeries)("text cannot become a line of the log: %j", async (text) => {
    const root = folder();
    const store = createFileStore(root);
    const run = createRun({ id: "r", task: { text } });
    const storing = storeRun(run, store, { redact: false });
    run.record({ type: "tool.finished", tool: text, outcome: "ok", input: { [text]: text }, output: text });
    await storing.close();
    await store.close();
    const events = await readRun(store, "r");
    expect(events.map(({ type }) => type)).toEqual(["run.started", "tool.finished"]);
    expect(await store.inspect("r")).toMatchObject({ integrity: "whole", end: events.length });
    const { output } = events.at(-1) as { readonly output: string };
    expect(output).toBe(text);
  });

  it.each([Infinity, Number.MAX_SAFE_INTEGER + 2, -0, Number.MIN_VALUE, 2 ** 63, NaN])(
    "the number %d is the same in every store",
    async (value) => {
      const stores: readonly RunStore[] = [createMemoryStore(), createFileStore(folder())];
      const read = await Promise.all(
        stores.map(async (store) => {
          const run = createRun({ id: "r", clock: () => 5 });
          const storing = storeRun(run, store);
          run.record({
            type: "tool.finished",
            tool: "sh",
            call: "c",
            outcome: "ok",
            input: { value: value as Json, __proto__x: null },
          });
          await storing.close();
          return JSON.stringify(await readRun(store, "r"));
        }),
      );
      expect(read[1]).toBe(read[0]);
    },
  );

  it("names of members that every object has change no prototype", async () => {
    const store = createFileStore(folder());
    const run = createRun({ id: "r" });
    const storing = storeRun(run, store);
    const input = JSON.parse(
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    ) as JsonObject;
    run.record({ type: "tool.finished", tool: "__proto__", outcome: "ok", input, output: "x" });
    run.record({ type: "operation.finished", operation: "constructor", outcome: "ok" } as unknown as NewEvent);
    await storing.close();
    summarizeRun(await readRun(store, "r"));
    expect(({} as { readonly polluted?: boolean }).polluted).toBeUndefined();
  });

  it("the same step with other content is a conflict, not an update", async () => {
    const store = createFileStore(folder());
    const events: RunEvent[] = [];
    const run = createRun({ id: "r" });
    run.subscribe((step) => events.push(...step));
    run.beforeTurn();
    await store.append("r", events, { after: 0 });
    await store.flush();
    const forged = events.map((event) => ({ ...event, at: event.at + 1 }));
    await expect(store.append("r", forged, { after: 0 })).rejects.toMatchObject({ code: "APPEND_CONFLICT" });
    expect(await readRun(store, "r")).toEqual(events);
    await store.close();
  });

  it("an explanation carries no control characters to the terminal", async () => {
    const store = createMemoryStore();
    const run = createRun({ id: "r", task: { text: "\u001b[2J\u001b]52;c;aGk=\u0007 task" } });
    const storing = storeRun(run, store);
    run.record({
      type: "tool.finished",
      tool: "\u001b]8;;http://x\u0007sh",
      outcome: "error",
      output: "\u001b[31mred\u0007",
    });
    run.end({ error: new Error("\u001b[2J\u009b31m\u202eboom\u{e0041}") });
    await storing.close();
    expect(explainRun(await readRun(store, "r"))).not.toMatch(
      // eslint-disable-next-line no-control-regex -- they are what must not be there
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/u,
    );
  });

  it("ten million characters and ten thousand files are stored within bounds", async () => {
    const store = createMemoryStore();
    const run = createRun({ id: "r" });
    const storing = storeRun(run, store);
    run.record({ type: "tool.finished", tool: "sh", outcome: "ok", output: "x y ".repeat(2_500_000) });
    for (let n = 0; n < 2000; n += 1)
      run.record({ type: "tool.finished", tool: "Read", outcome: "ok", input: { path: `f${String(n)}` }, output: "" });
    run.end({ reason: "done" });
    await storing.close();
    const events = await readRun(store, "r");
    expect(JSON.stringify(events[2]).length).toBeLessThan(100_000);
    expect(JSON.stringify(summarizeRun(events)).length).toBeLessThan(32 * 1024);
  });
});

describe.skipIf(process.platform === "win32")("folders", () => {
  it("and files are their owner's alone, whatever the mask says", async () => {
    const before = process.umask(0);
    try {
      const root = folder();
      await storeSecrets(join(root, "runs"));
      for (const path of everyFile(join(root, "runs"))) expect(statSync(path).mode & 0o777, path).toBe(0o600);
      for (const entry of readdirSync(join(root, "runs"), { recursive: true, withFileTypes: true })) {
        if (entry.isDirectory())
          expect(statSync(join(entry.parentPath, entry.name)).mode & 0o777, entry.name).toBe(0o700);
      }
    } finally {
      process.umask(before);
    }
  });

  const first = (run: string): readonly RunEvent[] => {
    const events: RunEvent[] = [];
    const made = createRun({ id: run });
    made.subscribe((step) => events.push(...step));
    made.beforeTurn();
    return events;
  };

  it("that everybody may write to are refused", async () => {
    const root = join(folder(), "runs");
    mkdirSync(root);
    chmodSync(root, 0o777);
    await expect(createFileStore(root).append("r", first("r"), { after: 0 })).rejects.toMatchObject({
      code: "UNSAFE_DIRECTORY",
    });
    expect(readdirSync(root)).toEqual([]);
  });

  it("that are links to somewhere else are refused, and so are logs that are", async () => {
    const base = folder();
    mkdirSync(join(base, "elsewhere"));
    mkdirSync(join(base, "runs"));
    symlinkSync(join(base, "elsewhere"), join(base, "runs", "r"));
    await expect(createFileStore(join(base, "runs")).append("r", first("r"), { after: 0 })).rejects.toMatchObject({
      code: "UNSAFE_DIRECTORY",
    });
    expect(readdirSync(join(base, "elsewhere"))).toEqual([]);

    writeFileSync(join(base, "secret.txt"), "not a log");
    mkdirSync(join(base, "runs", "s", "log"), { recursive: true });
    symlinkSync(join(base, "secret.txt"), join(base, "runs", "s", "log", "0001-0001.jsonl"));
    await expect(readRun(createFileStore(join(base, "runs")), "s")).rejects.toThrow();
    expect(readFileSync(join(base, "secret.txt"), "utf8")).toBe("not a log");
  });

  it("with pipes in place of files answer without waiting", async () => {
    const base = folder();
    for (const [run, ...parts] of [
      ["log", "log", "0001-0001.jsonl"],
      ["mark", "log", "0001-0001.jsonl.durable"],
      ["epoch", "epochs", "000001.json"],
      ["cache", "summary.json"],
    ] as const) {
      const path = join(base, run, ...parts);
      mkdirSync(dirname(path), { recursive: true });
      execFileSync(MAKE_PIPE, [path]);
    }
    const store = createFileStore(base);
    expect(await store.list()).toEqual([]);
    for (const run of ["log", "mark", "epoch", "cache"]) {
      expect((await store.inspect(run)).end).toBe(0);
      await store
        .append(run, first(run), { after: 0 })
        .catch((error: unknown) =>
          expect(["RUN_LOCKED", "STORE_DAMAGED"]).toContain((error as { readonly code?: string }).code),
        );
    }
    await store.close();
  });

  it("ids of runs that are paths stay inside", async () => {
    const base = folder();
    const store = createFileStore(join(base, "runs"));
    for (const id of [
      "../../outside",
      "/etc/x",
      "a/../../b",
      "..",
      "con",
      "x".repeat(200),
      "a\0b",
      "\u202ex",
      "C:\\x",
      "%2e%2e%2f",
    ])
      await store.append(id, first(id), { after: 0 });
    await store.close();
    expect(readdirSync(base)).toEqual(["runs"]);
    expect(readdirSync(join(base, "runs")).every((name) => /^[~a-z0-9][a-z0-9._~-]{0,80}$/.test(name))).toBe(true);
  });
});
