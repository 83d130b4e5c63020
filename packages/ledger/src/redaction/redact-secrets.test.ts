import { createRun, type RunEvent } from "@phasekit/core";
import type { Json, JsonObject } from "@phasekit/core/kit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { innocentTexts } from "./__fixtures__/innocent-texts.ts";
import { scoreRedaction } from "./__fixtures__/score-redaction.ts";
import { secretKinds } from "./__fixtures__/secret-kinds.ts";
import { redactSecrets } from "./redact-secrets.ts";
import { tokenKinds } from "./token-kinds.ts";

const random = (length: number): string => "aB3xY9kLmN0pQrStUvWz1234567890ABCDEFghijkl".repeat(20).slice(0, length);
const hex = (length: number): string => "3f786850e387550fdab836ed7e6dc881de23001b".repeat(20).slice(0, length);

/** Made up for these tests; none of them opens anything. The halves keep scanners of repositories quiet. */
const canaries: Readonly<Record<string, string>> = {
  openai: `sk-proj-${random(48)}`,
  anthropic: `sk-ant-api03-${random(60)}`,
  openrouter: `sk-or-v1-${random(64)}`,
  github: `ghp_${random(36)}`,
  "github fine-grained": `github_pat_${random(60)}`,
  gitlab: `glpat-${random(20)}`,
  slack: `xoxb-1234567890-1234567890-${random(24)}`,
  aws: `AKIAABCDEFGH12345678`,
  google: `AIza${random(35)}`,
  npm: `npm_${random(36)}`,
  huggingface: `hf_${random(34)}`,
  groq: `gsk_${random(40)}`,
  stripe: `sk_live_${random(24)}`,
  sendgrid: `SG.${random(22)}.${random(43)}`,
  jwt: `eyJ${random(20)}.eyJ${random(30)}.${random(40)}`,
  pem: `-----BEGIN RSA PRIVATE KEY-----\n${random(64)}\n${random(64)}\n-----END RSA PRIVATE KEY-----`,
};

const places: Readonly<Record<string, (secret: string) => JsonObject>> = {
  "the output of a tool": (secret) => ({ output: `found ${secret} here` }),
  arguments: (secret) => ({ input: { command: `curl -H 'Authorization: Bearer ${secret}' https://x.test` } }),
  "an environment": (secret) => ({ input: { env: { SOME_VALUE: secret } } }),
  "an error stack": (secret) => ({ error: { message: `Error: bad key ${secret}\n at x.ts:1` } }),
  "a query": (secret) => ({ input: { url: `https://x.test/a?key=${encodeURIComponent(secret).slice(0, 200)}&b=1` } }),
  "a list": (secret) => ({ input: [["a", secret], "b"] }),
  "a deep object": (secret) => ({ input: Array.from({ length: 40 }).reduce<Json>((inner) => ({ inner }), secret) }),
  "JSON in a text": (secret) => ({ output: JSON.stringify({ nested: JSON.stringify({ value: secret }) }) }),
  "a member's name": (secret) => ({ input: { [secret]: 1 } }),
};

const upper = (length: number): string => random(length).toUpperCase();
/** Bodies of tokens, the shortest first; the last ones are those with marks inside. */
const shortestBodies = [
  ...Array.from({ length: 80 }, (_, length) => [random(length), hex(length), upper(length)]).flat(),
  `0${random(30)}`,
  `1${upper(20)}`,
  `auth-${random(16)}`,
  `eyJ${random(20)}`,
  `${random(8)}.${random(4)}`,
  `${random(6)}_${random(16)}`,
  `${upper(8)}.${upper(20)}`,
  `${random(14)}.${hex(64)}`,
  `abcdefghij$${hex(20)}`,
  `${hex(24)}-${hex(40)}`,
  `${hex(24)}.${hex(32)}.${hex(32)}`,
  [hex(8), hex(4), hex(4), hex(4), hex(12)].join("-"),
];

/** The part of a secret that must not be found anywhere. */
const core = (secret: string): string => secret.replace(/^-----BEGIN.*\n/, "").slice(8, 30);

describe("redactSecrets", () => {
  const redact = redactSecrets();
  describe.each(Object.entries(canaries))("%s", (_name, secret) => {
    it.each(Object.entries(places))("in %s", (_place, put) => {
      const redacted = redact(put(secret));
      expect(JSON.stringify(redacted)).not.toContain(core(secret));
      expect(redact(redacted)).toEqual(redacted);
    });
  });

  it.each([
    { text: "postgres://admin:hunter2@db.test:5432/app", hidden: "hunter2", kept: "postgres://admin:" },
    { text: "https://user:p%40ss@example.test/x", hidden: "p%40ss", kept: "@example.test/x" },
    { text: "Cookie: session=abcdef; theme=dark", hidden: "abcdef", kept: "Cookie: " },
    { text: "Set-Cookie: id=a3fWa; Expires=Wed", hidden: "a3fWa", kept: "Set-Cookie: " },
    {
      text: "Authorization: Basic dXNlcjpwYXNzd29yZDEyMw==",
      hidden: "dXNlcjpwYXNzd29yZDEyMw",
      kept: "Authorization: Basic ",
    },
    { text: "DB_PASSWORD=correct-horse-1", hidden: "correct-horse-1", kept: "DB_PASSWORD=" },
    { text: '{"api_key": "abc123def456"}', hidden: "abc123def456", kept: '"api_key": "' },
    { text: String.raw`{\"password\":\"s3cr3tvalue\"}`, hidden: "s3cr3tvalue", kept: "password" },
    {
      text: `-----BEGIN PRIVATE KEY-----\n${random(60)} and then cut`,
      hidden: random(60),
      kept: "[redacted:private-key]",
    },
  ])("$text", ({ text, hidden, kept }) => {
    const { output } = redact({ output: text }) as { readonly output: string };
    expect(output).not.toContain(hidden);
    expect(output).toContain(kept);
  });

  it.each(["authorization", "Cookie", "x-api-key", "password", "clientSecret", "access_token", "private_key"])(
    "the member %s is a secret whatever it holds",
    (name) => {
      expect(redact({ headers: { [name]: "plain words" } })).toEqual({
        headers: { [name]: `[redacted:${name.toLowerCase()}]` },
      });
    },
  );

  it.each([
    "const token = getToken(); // returns string",
    "password: string;",
    "the api key is missing",
    "export interface Secret { readonly key: string }",
    "https://example.test/path?x=1#y and user@example.test",
    "git@github.com:org/repo.git",
    "function tokenize(text) { return text.split(' '); }",
    "basic understanding of the bearer of this message",
    "a-b-c-d sk-ip over, risk-averse task-runner disk-usage-statistics-module",
    "src/components/KeyboardShortcuts/KeyboardShortcuts.test.tsx",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "550e8400-e29b-41d4-a716-446655440000",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "alter table t drop constraint pk_user_organization_id_fkey, secret_manager_client_settings",
    "key-value-store-implementation sk-learn-compatible-estimators npm_config_user_agent_of_install",
  ])("leaves ordinary text as it is: %s", (text) => {
    const event = { output: text, deep: { text: [text] } };
    expect(redact(event)).toBe(event);
  });

  it("finds nine of ten secrets of the yardstick, and leaves all but three of a hundred innocent texts alone", () => {
    const { cases, leaked, innocents, falseAlarms } = scoreRedaction(redact, {
      kinds: secretKinds,
      innocents: innocentTexts,
      seed: 1,
    });
    expect({ cases, innocents }).toEqual({ cases: 4 * 155, innocents: 300 });
    expect(leaked.length, JSON.stringify(leaked)).toBeLessThanOrEqual(cases * 0.1);
    expect(falseAlarms.length, JSON.stringify(falseAlarms)).toBeLessThanOrEqual(innocents * 0.03);
  });

  it.each([
    ["cookie=sid=a1b2c3d4; rm -rf build", "cookie=[redacted:cookie]; rm -rf build"],
    ["COOKIE=sid=a1b2c3d4 curl https://x.test", "COOKIE=[redacted:cookie] curl https://x.test"],
    ["Cookie: sid=a1b2c3d4; rm -rf build", "Cookie: [redacted:cookie]; rm -rf build"],
    ["Cookie: sid=a1b2c3d4; theme; id=e5f6; Path=/", "Cookie: [redacted:cookie]"],
    [
      'curl --cookie "sid=a1b2c3d4; id=e5f6" x.test; rm -rf build',
      'curl --cookie "[redacted:cookie]" x.test; rm -rf build',
    ],
    ["curl --cookie sid=a1b2c3d4; rm -rf build", "curl --cookie [redacted:cookie]; rm -rf build"],
    ['document.cookie = "sid=a1b2c3d4; path=/"; start();', 'document.cookie = "[redacted:cookie]"; start();'],
  ])("hides a cookie and keeps what follows it: %s", (text, output) => {
    expect(redact({ output: text })).toEqual({ output });
  });

  it.each([
    ["an escaped line end", String.raw`{"command":"env\n~"}`],
    ["an escaped character", String.raw`{"command":"\u003c~"}`],
    ["an encoded space", "https://example.org/?q=a%20~"],
    ["a color of a terminal", "\u001b[31m~\u001b[0m"],
  ])("finds a token right behind %s", (_what, text) => {
    const token = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
    const clean = redactSecrets()({ output: text.replace("~", token) });
    expect(JSON.stringify(clean)).not.toContain("a1B2c3D4");
    expect(JSON.stringify(clean)).toContain("[redacted:github-token]");
  });

  it("finds registered secrets in every form", () => {
    const secret = 'pass "word" with / and ü!';
    const mine = redactSecrets({ secrets: [secret] });
    const forms = [
      secret,
      JSON.stringify({ a: secret }),
      JSON.stringify(JSON.stringify({ a: secret })),
      encodeURIComponent(secret),
      Buffer.from(secret).toString("hex"),
      Buffer.from(secret).toString("base64"),
      Buffer.from(`x${secret}`).toString("base64"),
      Buffer.from(`xy${secret}z`).toString("base64"),
      Buffer.from(secret).toString("base64url"),
      encodeURIComponent(secret).toLowerCase(),
      encodeURIComponent(encodeURIComponent(secret)),
      new URLSearchParams({ "": secret }).toString().slice(1),
      JSON.stringify(secret).slice(1, -1).replaceAll("/", "\\/"),
      JSON.stringify(secret).slice(1, -1).replace("ü", "\\u00fc"),
      Buffer.from(JSON.stringify({ password: secret })).toString("base64"),
      Buffer.from(JSON.stringify([secret])).toString("base64url"),
    ];
    for (const form of forms) {
      const { output } = mine({ output: `before ${form} after` }) as { readonly output: string };
      expect(output, form).toContain("[redacted:registered]");
      expect(output.length, form).toBeLessThan(80);
    }
    expect(() => redactSecrets({ secrets: ["short"] })).toThrow("at least 6");
  });

  it("finds each of two thousand registered secrets, in every form and also when it was split", () => {
    const many = Array.from(
      { length: 2000 },
      (_, n) => `tok/${String((n * 2_654_435_761) % 4_294_967_296)} ${String(n)}#end`,
    );
    const redactMany = redactSecrets({ secrets: many });
    for (let n = 0; n < many.length; n += 37) {
      const secret = many[n] ?? "";
      for (const form of [
        secret,
        encodeURIComponent(secret),
        Buffer.from(secret).toString("base64"),
        Buffer.from(secret).toString("hex"),
        JSON.stringify(secret).slice(1, -1),
      ]) {
        expect(redactMany({ output: `before ${form} after` }), form).toEqual({
          output: expect.stringMatching(/^before .{0,3}\[redacted:registered\].{0,6} after$/) as string,
        });
      }
      expect(redactMany({ output: `before ${secret.slice(0, 9)}` })).toEqual({
        output: "before [redacted:registered]",
      });
      expect(redactMany({ output: `${secret.slice(3)} after` })).toEqual({ output: "[redacted:registered] after" });
      expect(redactMany({ output: secret.slice(2, -2) })).toEqual({ output: "[redacted:registered]" });
      expect(
        redactMany({ pieces: [`a ${secret.slice(0, 4)}`, secret.slice(4, 8), `${secret.slice(8)} b`, "c"] }),
      ).toEqual({ pieces: ["[redacted:registered]", "[redacted:registered]", "[redacted:registered]", "c"] });
    }
    expect(redactMany({ output: "nothing of theirs: tok/ and #end" })).toEqual({
      output: "nothing of theirs: tok/ and #end",
    });
  });

  it.each(tokenKinds.flatMap((kind) => kind.starts.map((start) => ({ start, kind }))))(
    "finds the shortest token that begins with $start, in any surroundings",
    ({ start, kind: { name, body } }) => {
      const pattern = new RegExp(`^${body}`);
      const token = shortestBodies.map((text) => start + text).find((text) => pattern.test(text.slice(start.length)));
      expect(token).toBeDefined();
      for (const around of ["~", "a ~ b", "x=~;", '{"a":"~"}', "ä~", "(~)", "é/~", "the words before it, ~.", "a\n~\n"])
        expect(redact({ output: around.replace("~", () => token ?? "") }), around).toEqual({
          output: expect.stringContaining(`[redacted:${name}]`) as string,
        });
    },
  );

  it("finds a token at every distance from the beginning of a text", () => {
    for (let length = 0; length < 80; length += 1)
      for (const filler of ["word ", ".", "a/b-c ", "\u00fc", "\u4e16 "]) {
        const before = filler.repeat(80).slice(0, length);
        const { output } = redact({ output: `${before}"${canaries["github"] ?? ""}` }) as { readonly output: string };
        expect(output).toBe(`${before}"[redacted:github-token]`);
      }
  });

  it("gives the same for its own output, whatever it gets", () => {
    const pieces = fc.constantFrom(
      ...Object.values(canaries),
      "password=",
      "token: ",
      "Bearer ",
      "://a:",
      "@",
      "cookie: ",
      "[redacted:",
      "]",
      "-----BEGIN ",
      "eyJ",
      " ",
      "\n",
      '"',
      "x1",
      "sk-",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 12 }), (parts) => {
        const once = redact({ output: parts.join("") });
        expect(redact(once)).toEqual(once);
      }),
      { numRuns: 500 },
    );
  });

  it("takes time in proportion to the length, however hostile the text", () => {
    const hostile = [
      "sk-",
      "eyJa.",
      "://a:",
      "password=",
      "-----BEGIN ",
      "-----BEGIN RSA PRIVATE KEY-----",
      "Bearer a",
      "cookie: ",
      "A",
      "AKIA",
      "a:b@",
      "token: \\\\\\",
      "eyJ-",
      "key=",
      'key="',
      "password: ",
      " --password ",
      "curl -u a:",
      "curl ",
      "LS0tLS1CRUdJTi",
      "://",
      "@",
      "<password>",
      "</",
      "machine a login b password ",
      "a:5432:b:c:",
      "cookie: a=b",
      "authorization: ",
      ".abcdef.",
      "$6$",
      "1234:AA",
    ];
    for (const piece of hostile) {
      const cost = (length: number): number => {
        const event = { output: piece.repeat(Math.ceil(length / piece.length)) };
        const start = process.cpuUsage();
        redact(event);
        const { user, system } = process.cpuUsage(start);
        return user + system;
      };
      cost(100_000);
      const [small, large] = [
        Math.min(cost(50_000), cost(50_000), cost(50_000)),
        Math.min(cost(400_000), cost(400_000)),
      ];
      // Eight times the text; a quadratic pattern would take sixty-four times as long.
      expect(large, piece).toBeLessThan(Math.max(small, 2000) * 30);
    }
  });

  it("keeps every canary out of everything a run stores", () => {
    const events: RunEvent[] = [];
    const run = createRun({ redact, task: { text: `use ${canaries["openai"] ?? ""}` } });
    run.subscribe((step) => events.push(...step));
    for (const secret of Object.values(canaries)) {
      run.record({
        type: "tool.finished",
        tool: "sh",
        outcome: "ok",
        input: { secret, map: new Map([["k", secret]]), bytes: Buffer.from(secret) },
        output: { stdout: secret },
      });
      run.record({ type: "message.sent", text: secret });
      run.record({ type: "model.failed", message: secret, error: { message: secret } });
      run.record({ type: "question.asked", question: secret });
      run.record({ type: "no.such" as never, text: secret });
    }
    run.end({ error: new Error(canaries["anthropic"]), summary: canaries["jwt"] ?? "" });
    const stored = JSON.stringify(events);
    for (const [name, secret] of Object.entries(canaries)) expect(stored.includes(core(secret)), name).toBe(false);
  });
});
