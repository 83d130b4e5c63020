import { createRun, type Json, type JsonObject, type RunEvent } from "@phasekit/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactSecrets } from "./redact-secrets.ts";
import { redactPem, replaceSecret, secretPatterns } from "./secret-patterns.ts";

const random = (length: number): string => "aB3xY9kLmN0pQrStUvWz1234567890ABCDEFghijkl".repeat(20).slice(0, length);

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

/** How secrets begin; a tilde stands behind those of tokens. */
const MARKS = [
  ..."sk- sk_ rk- rk_ pk- pk_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- glptt- gldt- glrt- glcbt- glsoat- xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp- AIza ya29. GOCSPX- gsk_ hf_ xai- pplx- r8_ npm_ dop_v1_ pypi- nvapi- tvly- fw_ csk- lin_api_ secret_ SG. dapi shpat_ figd_ PMAK- key-".split(" ").map((mark) => `${mark}~`),
  ..."AKIA ASIA AROA AIDA eyJ".split(" "), "Bearer ", "basic ", "token ", "Cookie: ", "set-cookie=", "password=", "passwd: ", "pwd=", "secret: ", "token=", "api_key => ", "apikey:", "access-key=", "account_key: ", "private_key=", "client-secret:", "credential = ", "https://user:", "a.b://:", "-----BEGIN ", "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----",
];

/** Every pattern on every text, until nothing changes: slow, and without any sign. */
function byPatternsAlone(text: string): string {
  let before = text;
  for (let round = 0; round < 6; round += 1) {
    let result = redactPem(before);
    for (const pattern of secretPatterns) result = replaceSecret(result, pattern);
    if (result === before) return result;
    before = result;
  }
  return "[unredactable:unstable]";
}

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
    { text: "Authorization: Basic dXNlcjpwYXNzd29yZDEyMw==", hidden: "dXNlcjpwYXNzd29yZDEyMw", kept: "Authorization: Basic " },
    { text: "DB_PASSWORD=correct-horse-1", hidden: "correct-horse-1", kept: "DB_PASSWORD=" },
    { text: '{"api_key": "abc123def456"}', hidden: "abc123def456", kept: '"api_key": "' },
    { text: String.raw`{\"password\":\"s3cr3tvalue\"}`, hidden: "s3cr3tvalue", kept: "password" },
    { text: `-----BEGIN PRIVATE KEY-----\n${random(60)} and then cut`, hidden: random(60), kept: "[redacted:private-key]" },
  ])("$text", ({ text, hidden, kept }) => {
    const { output } = redact({ output: text }) as { readonly output: string };
    expect(output).not.toContain(hidden);
    expect(output).toContain(kept);
  });

  it.each(["authorization", "Cookie", "x-api-key", "password", "clientSecret", "access_token", "private_key"])("the member %s is a secret whatever it holds", (name) => {
    expect(redact({ headers: { [name]: "plain words" } })).toEqual({ headers: { [name]: `[redacted:${name.toLowerCase()}]` } });
  });

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
    const fact = { output: text, deep: { text: [text] } };
    expect(redact(fact)).toBe(fact);
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
    const many = Array.from({ length: 2000 }, (_, n) => `tok/${String((n * 2_654_435_761) % 4_294_967_296)} ${String(n)}#end`);
    const redactMany = redactSecrets({ secrets: many });
    for (let n = 0; n < many.length; n += 37) {
      const secret = many[n] ?? "";
      for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64"), Buffer.from(secret).toString("hex"), JSON.stringify(secret).slice(1, -1)]) {
        expect(redactMany({ output: `before ${form} after` }), form).toEqual({ output: expect.stringMatching(/^before .{0,3}\[redacted:registered\].{0,6} after$/) as string });
      }
      expect(redactMany({ output: `before ${secret.slice(0, 9)}` })).toEqual({ output: "before [redacted:registered]" });
      expect(redactMany({ output: `${secret.slice(3)} after` })).toEqual({ output: "[redacted:registered] after" });
      expect(redactMany({ output: secret.slice(2, -2) })).toEqual({ output: "[redacted:registered]" });
      expect(redactMany({ pieces: [`a ${secret.slice(0, 4)}`, secret.slice(4, 8), `${secret.slice(8)} b`, "c"] })).toEqual({ pieces: ["[redacted:registered]", "[redacted:registered]", "[redacted:registered]", "c"] });
    }
    expect(redactMany({ output: "nothing of theirs: tok/ and #end" })).toEqual({ output: "nothing of theirs: tok/ and #end" });
  });

  it("finds what the patterns alone find: a sign never hides a secret", () => {
    // Cut, joined and shifted around every threshold: one character less, one more, other neighbours, other cases.
    const whole = fc.constantFrom(...Object.values(canaries), ...MARKS);
    const cut = fc.tuple(whole, fc.nat(80)).map(([text, length]) => text.slice(0, length));
    const cased = fc.tuple(whole, fc.infiniteStream(fc.boolean())).map(([text, flips]) => text.replace(/./gs, (letter) => (flips.next().value === true ? letter.toUpperCase() : letter)));
    const filler = fc.constantFrom("a", "A1", "0123456789", "abcdefghij", "\u00a0", "\u2003", "ü", "  ", "\t", "\n", '"', "'", "\\", "\\\"", ".", "-", "_", "/", "+", "=", "=>", ":", "@", "x".repeat(240));
    let found = 0;
    fc.assert(
      fc.property(fc.array(fc.oneof(whole, cut, cased, filler, fc.string({ unit: "binary", maxLength: 6 })), { maxLength: 10 }), (parts) => {
        const text = parts.join("");
        const { output } = redact({ output: text }) as { readonly output: string };
        expect(output).toBe(byPatternsAlone(text));
        if (output !== text) found += 1;
      }),
      { numRuns: 6000 },
    );
    expect(found).toBeGreaterThan(1000);
  });

  it.each(MARKS.filter((mark) => mark.endsWith("~")).map((mark) => mark.slice(0, -1)))("%s is found at its shortest, and not one character before", (mark) => {
    const shortest = Array.from({ length: 60 }, (_, length) => length).find((length) => byPatternsAlone(mark + random(length)) !== mark + random(length));
    expect(shortest).toBeGreaterThan(3);
    for (const length of [(shortest ?? 0) - 1, shortest ?? 0, (shortest ?? 0) + 1]) {
      for (const before of ["", " ", "-", "_", "x", "."]) expect(redact({ output: before + mark + random(length) })).toEqual({ output: byPatternsAlone(before + mark + random(length)) });
    }
  });

  it("gives the same for its own output, whatever it gets", () => {
    const pieces = fc.constantFrom(...Object.values(canaries), "password=", "token: ", "Bearer ", "://a:", "@", "cookie: ", "[redacted:", "]", "-----BEGIN ", "eyJ", " ", "\n", '"', "x1", "sk-");
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 12 }), (parts) => {
        const once = redact({ output: parts.join("") });
        expect(redact(once)).toEqual(once);
      }),
      { numRuns: 500 },
    );
  });

  it("takes time in proportion to the length, however hostile the text", () => {
    const hostile = ["sk-", "eyJa.", "://a:", "password=", "-----BEGIN ", "-----BEGIN RSA PRIVATE KEY-----", "Bearer a", "cookie: ", "A", "AKIA", "a:b@", "token: \\\\\\"];
    for (const piece of hostile) {
      const cost = (length: number): number => {
        const fact = { output: piece.repeat(Math.ceil(length / piece.length)) };
        const start = process.cpuUsage();
        redact(fact);
        const { user, system } = process.cpuUsage(start);
        return user + system;
      };
      cost(100_000);
      const [small, large] = [Math.min(cost(125_000), cost(125_000), cost(125_000)), Math.min(cost(1_000_000), cost(1_000_000))];
      // Eight times the text; a quadratic pattern would take sixty-four times as long.
      expect(large, piece).toBeLessThan(Math.max(small, 2000) * 30);
    }
  });

  it("keeps every canary out of everything a run stores", () => {
    const events: RunEvent[] = [];
    const run = createRun({ redact, task: { text: `use ${canaries["openai"] ?? ""}` } });
    run.subscribe((step) => events.push(...step));
    for (const secret of Object.values(canaries)) {
      run.record({ type: "tool.finished", tool: "sh", outcome: "ok", input: { secret, map: new Map([["k", secret]]), bytes: Buffer.from(secret) }, output: { stdout: secret } });
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
