import { createRun, type Json, type JsonObject, type RunEvent } from "@phasekit/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { innocentTexts } from "./__fixtures__/innocent-texts.ts";
import { placedKinds, scorePlaces } from "./__fixtures__/placed-secrets.ts";
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
  `${random(22)}.${random(6)}.${random(27)}`,
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

  it("finds 95 of 100 secrets in whatever way they are written down, in eight places of an event", () => {
    const { cases, leaked } = scorePlaces(redact, { seed: 1 });
    expect([placedKinds.length >= 60, cases]).toEqual([true, 8 * placedKinds.length]);
    expect(leaked.length, JSON.stringify(leaked)).toBeLessThanOrEqual(cases * 0.05);
  });

  const token = `ghp_${random(36)}`;
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  it.each([
    ["base64 of a token", `data: ${base64(token)}`, "data: [redacted:github-token]"],
    ["base64 of settings", `x ${base64("PORT=1\nDB_PASSWORD=hunter2!x\n")} y`, "x [redacted:password] y"],
    [
      "base64 on several lines",
      `a\n${base64(`PORT=3000\nDB_PASSWORD=hunter2!x\n${"HOST=db.test\n".repeat(12)}`).replace(/.{76}/g, "$&\n")}\nb`,
      "a\n[redacted:password]\nb",
    ],
    ["base64 of base64", `x ${base64(base64(token))} y`, "x [redacted:github-token] y"],
    ["hex", `x 0x${Buffer.from(token).toString("hex")} y`, "x 0x[redacted:github-token] y"],
    ["percent codes", `a?t=${token.replace("_", "%5F")}&b=1`, "a?t=[redacted:github-token]&b=1"],
    ["percent codes of percent codes", `t=${token.replace("_", "%255F")}`, "t=[redacted:github-token]"],
    ["colors around a value", "DB_PASSWORD=\u001b[31mhunter2!x\u001b[0m", "DB_PASSWORD=[redacted:password]"],
    ["a color inside a token", token.replace("_", "_\u001b[0m"), "[redacted:github-token]"],
    ["a prompt", "Password:\nhunter2!x\nok", "Password:\n[redacted:password]\nok"],
    ["a prompt for a user", "[sudo] password for ada:\nhunter2!x", "[sudo] password for ada:\n[redacted:password]"],
    ["a row", "|a|b|\n|---|---|\n| password | hunter2!x |", "|a|b|\n|---|---|\n| password | [redacted:password] |"],
    ["a column", "| a | password |\n|---|---|\n|b|hunter2!x|", "| a | password |\n|---|---|\n|b|[redacted:password]|"],
    [
      "name and value",
      '- name: DB_PASSWORD\n  value: "hunter2!x"',
      '- name: DB_PASSWORD\n  value: "[redacted:password]"',
    ],
    ["fish", `set -x API_TOKEN ${random(32)}`, "set -x API_TOKEN [redacted:secret]"],
    ["fish, a chosen value", "set -gx DB_PASSWORD hunter2!x", "set -gx DB_PASSWORD [redacted:password]"],
    ["words in quotes", 'DB_PASSWORD="correct horse battery"', 'DB_PASSWORD="[redacted:password]"'],
    [
      "aws configure",
      `aws configure set aws_secret_access_key ${random(40)}`,
      "aws configure set aws_secret_access_key [redacted:secret]",
    ],
    ["doppler", `dp.st.prd.${random(43)}`, "[redacted:doppler-token]"],
    ["the end of a key", `a\n${random(64)}\n${random(40)}\n-----END PRIVATE KEY-----`, "a\n[redacted:private-key]"],
    ["openssl -K", `openssl enc -K ${hex(64)} -iv 00`, "openssl enc -K [redacted:password] -iv 00"],
    ["SQL", "CREATE USER a WITH PASSWORD 'hunter2!x'", "CREATE USER a WITH PASSWORD '[redacted:password]'"],
    ["an argument", "define('DB_PASSWORD', 'hunter2!x')", "define('DB_PASSWORD', '[redacted:password]')"],
  ])("finds a secret in %s", (_what, text, output) => {
    expect(redact({ output: text })).toEqual({ output });
    expect(redact({ output })).toEqual({ output });
  });

  it("finds the value of a named member", () => {
    expect(
      redact({
        env: [
          { name: "DB_PASSWORD", value: "hunter2!x" },
          { name: "PORT", value: "hunter2!x" },
        ],
      }),
    ).toEqual({
      env: [
        { name: "DB_PASSWORD", value: "[redacted:db_password]" },
        { name: "PORT", value: "hunter2!x" },
      ],
    });
  });

  it.each([
    "ses_312aa9357ffe2T2bb3qfsLfWLb",
    "msg_01XFDUDYJgAACzvnptvVoYEL",
    "toolu_01A09q90qw90lq917835lq9",
    "call_9pw1qnYScqvGrCH58HWCvFH6",
    "550e8400-e29b-41d4-a716-446655440000",
    "3f786850e387550fdab836ed7e6dc881de23001b",
    `sha256:${hex(64)}`,
    `sha512-${random(86)}==`,
  ])("leaves ids and hashes as they are: %s", (id) => {
    const events: readonly JsonObject[] = [
      {
        id,
        parentID: id,
        sessionID: id,
        session_id: id,
        call: id,
        title: `Session ${id}`,
        key: id,
        task: { id, text: id },
      },
      { output: `session ${id} started\nsessionID=${id}\n"callID": "${id}"\n| id | ${id} |\n/x/${id}.jsonl` },
      { output: `commit ${id}\ncache-key: node-${id}\nintegrity: ${id}\ndigest: ${id}\nsignature ${id}` },
      // A hash may be a token; an id with the name of its kind is not.
      ...(/^[a-z]+_/.test(id) ? [{ output: `unexpected token ${id}` }, { output: `sessionKey: ${id}` }] : []),
    ];
    for (const event of events) expect(redact(event)).toBe(event);
  });

  it.each([
    "password:\n  required: true\n  minLength: 8",
    "password:\n  valueFrom:\n    secretKeyRef:\n      name: db-secret-1",
    "| password | string | The password of the user. |",
    "| Name | Password |\n| --- | --- |\n| ada | set |",
    "`derivePassword`, `encryptAES`, `decryptAES`",
    "['password', 'username1']",
    "set -x PATH /usr/local/bin2",
    "ENV NODE_VERSION 20.11.1",
    "the password is 8 to 20 characters long",
    "Password for user1 expired.",
    base64("Hello, this is a harmless text without anything in it."),
    Buffer.from("Hello, this is a harmless text.").toString("hex"),
    "https://x.test/a%20b%2Fc?q=%7B%22a%22%3A1%7D",
    "type Secret = string | Uint8Array;",
    "privateKey: Uint8Array;",
    "authorization: string | undefined;",
    String.raw`.replace(/(authorization:\s*bearer\s+)[a-z0-9._-]+/gi, "$1…")`,
    "password = ReadOnlyPasswordHashField(",
    "const authorization = request.headers.authorization;",
    'PASSWORD_HINT="name of your first pet"',
    'API_TOKEN="enter your token here"',
    "find / -type d -name mysql -prune",
    "git config --global user.signingkey 3AA5C34371567BD2",
    "name: BUILD_ID\nvalue: 8f14e45fceea167a5a36dedd4bea2543",
    "see -----END RSA PRIVATE KEY-----",
    "\u001b[32mPASS\u001b[0m src/password.test.ts (5.1 s)",
  ])("leaves text alone that is written like a secret: %s", (text) => {
    const event = { output: text, deep: { text: [text] } };
    expect(redact(event)).toBe(event);
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
      "-----END PRIVATE KEY-----",
      "Z2hwX2ExQjJjM0Q0ZTVGNmc3SDhpOUowazFMMm0zTjRvNVA2cTdSOA==",
      "ghp%5F",
      "\u001b[31m",
      "password is ",
      "| password |",
      "\n|---|---|\n",
      "value: ",
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
      "QUFB",
      "QUFB/",
      "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFB\n",
      "41",
      "%41",
      "password '",
      "password is ",
      "password for a:\n",
      "| password ",
      "|---|\n",
      "-----END RSA PRIVATE KEY-----",
      "AAAA\n-----END RSA PRIVATE KEY-----\n",
      "name: a\nvalue: ",
      " -p a",
      "mysql -p",
      "token aB3xY9kLmN0pQrStUvWz ",
      "\u001b[1m",
      "<password>\n",
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
