import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { definePolicy, type NewEvent, nudge, refuse, type Run, type RunEvent } from "@phasekit/core";
import { quote } from "@phasekit/core/adapter";
import { createMemoryStore, readRun, redactSecrets, storeRun } from "@phasekit/ledger";
import { explainRun } from "@phasekit/ledger/story";
import { createFileStore } from "@phasekit/ledger/node";
import fc from "fast-check";
import { depth } from "@phasekit/tooling/test-depth";
import { expect, it } from "vitest";
import { type CodingPhase, codingRun } from "../src/coding-run.ts";

const CAPITALS = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
const LETTERS = [...CAPITALS, ...Array.from("abcdefghijklmnopqrstuvwxyz")];
const body = (length: number, letters = LETTERS): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...letters), { minLength: length, maxLength: length }).map((all) => `7${all.join("")}`);

/** Secrets by kind: what stands in the text, and the part of it nobody could guess. */
interface Secret {
  readonly text: string;
  readonly body: string;
  readonly registered: boolean;
}

const known = (prefix: string, length: number, letters = LETTERS): fc.Arbitrary<Secret> =>
  body(length - 1, letters).map((random) => ({ text: `${prefix}${random}`, body: random, registered: false }));

const secrets = fc.oneof(
  body(30).map((text): Secret => ({ text, body: text, registered: true })),
  known("ghp_", 36),
  known("AIza", 35),
  known("AKIA", 16, CAPITALS),
  known("sk_live_", 24),
  known("xoxb-", 24),
  known("glpat-", 20),
  body(200).map((key): Secret => {
    const lines = key.replace(/(.{50})/g, "$1/\n");
    return {
      text: `-----BEGIN RSA PRIVATE KEY-----\n${lines}\n-----END RSA PRIVATE KEY-----`,
      body: key,
      registered: false,
    };
  }),
);

// Around every limit at which something is cut, and anywhere in a short text.
const lengths = fc.oneof(
  fc.nat(120),
  fc
    .tuple(fc.constantFrom(60, 80, 120, 200, 500, 1024, 2048, 4096, 8192, 16_384), fc.integer({ min: -60, max: 20 }))
    .map(([limit, off]) => Math.max(0, limit + off)),
);
const filler = (length: number): string => "lorem ipsum ".repeat(Math.ceil(length / 12)).slice(0, length);
const around = fc.record({ before: lengths, after: lengths, edge: fc.constantFrom(" ", '"', "=", "\n", "'", "(") });

type Place = (run: Run<CodingPhase>, text: string, n: number) => void;
const record =
  (fact: (text: string) => object): Place =>
  (run, text) =>
    void run.record(fact(text) as NewEvent);
const call =
  (tool: string, input: (text: string) => unknown, result: object = { outcome: "ok", output: "done" }): Place =>
  (run, text, n) => {
    const id = `call-${String(n)}-${tool}`;
    run.beforeTool({ call: id, tool, input: input(text) });
    run.record({ type: "tool.finished", call: id, ...result } as NewEvent);
  };

/** Every place a text of the host can stand in. */
const places: Readonly<Record<string, Place>> = {
  command: call("Bash", (command) => ({ command })),
  "command that fails": call("Bash", (command) => ({ command }), { outcome: "error", output: "exit 1", exitCode: 1 }),
  "words of a command": call("shell", (command) => ({ command: ["bash", "-lc", command] })),
  path: call("Read", (text) => ({ file_path: `src/${text}` })),
  edit: call("Edit", (text) => ({ file_path: "a.ts", old_string: text, new_string: `${text} 2` })),
  query: call("Grep", (pattern) => ({ pattern, path: "src" })),
  "nested input": call("deploy", (text) => ({ options: [{ env: { note: text } }] })),
  "input as text": call("Bash", (command) => JSON.stringify({ command })),
  output: (run, text, n) => {
    call("Bash", () => ({ command: "env" }), { outcome: "ok", output: text })(run, text, n);
  },
  "output with streams": (run, text, n) => {
    call("Bash", () => ({ command: "npx vitest run" }), {
      outcome: "error",
      output: { exitCode: 1, stdout: `FAIL a.test.ts > ${text}`, stderr: text },
      exitCode: 1,
    })(run, text, n);
  },
  error: (run, text, n) => {
    call("Bash", () => ({ command: "ls" }), { outcome: "error", output: text, error: { message: text } })(run, text, n);
  },
  "result alone": record((text) => ({
    type: "tool.finished",
    tool: "Bash",
    outcome: "ok",
    input: { command: text },
    output: { stdout: text },
  })),
  "host member": record((text) => ({ type: "progress.made", what: "x", host: { trace: text } })),
  "message sent": (run, text) => {
    for (let at = 0; at < text.length; at += 100) run.text(text.slice(at, at + 100));
    run.record({ type: "message.sent", text });
  },
  "message received": record((text) => ({ type: "message.received", text })),
  question: record((question) => ({ type: "question.asked", question })),
  plan: record((text) => ({ type: "plan.declared", text })),
  todos: record((text) => ({ type: "todos.updated", todos: [{ text, status: "open" }] })),
  "model failure": record((message) => ({ type: "model.failed", message, error: { message } })),
  "validation failure": record((path) => ({ type: "validation.failed", path, expected: path })),
  "fact of one's own": record((text) => ({ type: "event.recorded", name: "note", data: { text } })),
  "rejected value": record((text) => ({ type: "tool.finished", outcome: text, output: text })),
  "rejected type": record((type) => ({ type })),
  "prompt of a turn": (run, prompt) => void run.beforeTurn({ prompt }),
  "finish text": (run, text) => void run.beforeFinish({ text, canVeto: false }),
  transition: (run, why) => void run.transition("planning", { why, message: why, summary: why, data: { why } }),
  "unknown phase": (run, text) => void run.transition(text as CodingPhase, { why: text }),
  waiver: (run, why) => void run.waive("tests-fresh", { why }),
  child: (run, text) => void run.child({ task: { text } }).end({ summary: text }),
};

/** Quotes everything it reads in every decision; its watchers, interpreters and policies fail with such quotes. */
const quoting = definePolicy({
  name: "quoting",
  initial: () => ({ last: "" }),
  observe: {
    "tool.finished": (state, { output, input, meaning }) => {
      state.last = `${JSON.stringify(output)} ${JSON.stringify(input)} ${JSON.stringify(meaning)}`;
    },
  },
  decide: {
    "turn.started": (_run, { last }) =>
      nudge(`You did ${quote(last)} ${last.slice(-300)}`, { episode: last.slice(0, 50) }),
    "tool.requested": (_run, _state, { input }) =>
      JSON.stringify(input ?? "").length > 3000 ? refuse(`Not ${quote(input)}`) : undefined,
    "question.asked": (_run, _state, { question }) => {
      throw new Error(`cannot answer ${question}`);
    },
  },
  watchText: () => ({ push: (text) => ({ kind: "quote", signature: text.slice(-40) }) }),
});

interface Played {
  readonly log: readonly RunEvent[];
  readonly shown: readonly string[];
}

/** The same thing is done again and again, so that alerts and nudges are about it. */
async function play(place: Place, text: string, registered: readonly string[]): Promise<Played> {
  const log: RunEvent[] = [];
  const shown: string[] = [];
  const store = createMemoryStore();
  const run = codingRun({
    id: "run",
    mode: "gate",
    clock: () => 1_790_000_000_000,
    task: { text },
    redact: redactSecrets({ secrets: registered }),
    policies: [quoting],
    onError: (error) => shown.push(String(error)),
  });
  run.subscribe((step) => log.push(...step));
  const storing = storeRun(run, store);
  for (let n = 0; n < 6; n += 1) {
    const { message, review, stop } = run.beforeTurn();
    shown.push(message ?? "", review?.text ?? "", stop?.text ?? "");
    place(run, text, n);
  }
  run.stop({ why: text });
  run.end({ error: new Error(text, { cause: new Error(text) }), summary: text });
  await storing.close();
  const stored = await readRun(store, "run");
  shown.push(JSON.stringify(stored), explainRun(stored), explainRun(log), JSON.stringify(run.outcome));
  return { log, shown };
}

/** Eight characters in a row of what nobody could guess. */
function leaked(secret: string, text: string): string | undefined {
  for (let at = 0; at + 8 <= secret.length; at += 1)
    if (text.includes(secret.slice(at, at + 8))) return secret.slice(at, at + 8);
  return undefined;
}

it.each(Object.keys(places))("no part of a secret in a %s is stored, said or shown", async (name) => {
  const place = places[name] as Place;
  await fc.assert(
    fc.asyncProperty(secrets, around, async (secret, { before, after, edge }) => {
      const text = `${filler(before)}${edge}${secret.text}${edge === "(" ? ")" : edge}${filler(after)}`;
      const { log, shown } = await play(place, text, secret.registered ? [secret.text] : []);
      for (const event of log) {
        const found = leaked(secret.body, JSON.stringify(event));
        expect(found, `${event.type} of ${JSON.stringify(event).slice(0, 2000)}`).toBeUndefined();
      }
      for (const line of shown) expect(leaked(secret.body, line), line.slice(0, 2000)).toBeUndefined();
    }),
    { numRuns: depth({ quick: 5, full: 25, long: 250 }), seed: 19 },
  );
});

it("no part of a secret is in the files of a file store", async () => {
  const root = await mkdtemp(join(tmpdir(), "phasekit-secrets-"));
  const store = createFileStore(root);
  const secret = "Zq8vL1mN4pR7sT0uWx3yB6cD9eF2gH";
  const run = codingRun({ id: "run", mode: "gate", redact: redactSecrets({ secrets: [secret] }), policies: [quoting] });
  const storing = storeRun(run, store);
  for (let n = 0; n < 90; n += 1) {
    run.beforeTurn();
    call("Bash", () => ({ command: `${"x".repeat(n)} ${secret} #` }))(run, "", n);
  }
  run.end({ error: new Error(`${"x".repeat(1010)} ${secret}`) });
  await storing.close();
  await store.close();
  const names = await readdir(root, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) expect(leaked(secret, await readFile(file, "utf8")), file).toBeUndefined();
  await rm(root, { recursive: true });
});
