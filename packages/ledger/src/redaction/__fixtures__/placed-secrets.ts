/**
 * A third list: secrets as they are written down, not who issued them. Each is a text with a secret in it, put into
 * eight places of an event. Written before the rules that decode and join; arguable kinds are in it, too.
 */
import type { JsonObject, Redactor } from "@phasekit/core";
import { createSecretMaker, type SecretMaker } from "./make-secret.ts";
import { isLeaked } from "./secret-kinds.ts";

/** The text, and the part of it that must not be left. */
interface Written {
  readonly text: string;
  readonly secret: string;
}

/** A way to write a secret down. */
export interface PlacedKind {
  readonly group: string;
  readonly kind: string;
  readonly write: (of: SecretMaker) => Written;
}

/** Where a text is in an event. */
export const secretPlaces: Readonly<Record<string, (text: string) => JsonObject>> = {
  arguments: (text) => ({ type: "tool.started", tool: "bash", input: { command: text } }),
  output: (text) => ({ type: "tool.finished", tool: "bash", outcome: "ok", output: `$ cat notes\n${text}\nend` }),
  path: (text) => ({ type: "tool.started", tool: "read", input: { file_path: `/srv/data/${text}` } }),
  diff: (text) => ({
    type: "tool.finished",
    tool: "git",
    outcome: "ok",
    output: `diff --git a/a b/a\n@@ -1 +1,9 @@\n line\n+${text.replaceAll("\n", "\n+")}\n`,
  }),
  "nested value": (text) => ({ type: "tool.started", tool: "call", input: { a: [{ b: { c: text } }] } }),
  key: (text) => ({ type: "tool.started", tool: "call", input: { [text]: true } }),
  message: (text) => ({ type: "message.sent", text: `I found this:\n\n\`\`\`\n${text}\n\`\`\`\n` }),
  json: (text) => ({
    type: "tool.finished",
    tool: "http",
    outcome: "ok",
    output: JSON.stringify({ status: 200, body: text }),
  }),
};

type Make = (of: SecretMaker) => string;
type Row = readonly [kind: string, make: Make, write?: (secret: string) => string];

const random: Make = (of) => of.word(32);
const chosen: Make = (of) => of.password();
const awsSecret: Make = (of) => of.base64(30);
const token: Make = (of) => `ghp_${of.word(36)}`;
const toBase64 = (text: string): string => Buffer.from(text).toString("base64");
const toHex = (text: string): string => Buffer.from(text).toString("hex");
/** As strict encoders do. */
const toPercent = (text: string): string =>
  encodeURIComponent(text).replace(/[_.~-]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
const envFile = (of: SecretMaker): string => `PORT=3000\nDB_PASSWORD=${of.password()}\nAPI_TOKEN=${of.word(32)}\n`;
const lines = (of: SecretMaker, count: number): string => Array.from({ length: count }, () => of.base64(48)).join("\n");
const wrapped = (text: string): string => text.replace(/.{76}/g, "$&\n");
const red = (text: string): string => `\u001b[1;31m${text}\u001b[0m`;

const groups: Readonly<Record<string, readonly Row[]>> = {
  cloud: [
    ["aws configure set secret", awsSecret, (s) => `aws configure set aws_secret_access_key ${s} --profile ci`],
    ["aws configure set session", (of) => of.base64(120), (s) => `aws configure set aws_session_token ${s}`],
    ["aws credentials file", awsSecret, (s) => `[default]\naws_secret_access_key = ${s}\nregion = eu-west-1`],
    ["aws sts answer", awsSecret, (s) => `{"Credentials":{"SecretAccessKey":"${s}","Expiration":"2026-01-01"}}`],
    ["aws in Python", awsSecret, (s) => `os.environ["AWS_SECRET_ACCESS_KEY"] = "${s}"`],
    ["doppler service token", (of) => `dp.st.prd_eu.${of.word(43)}`, (s) => `doppler run --token ${s} -- npm start`],
    ["doppler token alone", (of) => `dp.st.dev.${of.word(43)}`, (s) => `using ${s} now`],
    ["doppler secrets set", random, (s) => `doppler secrets set STRIPE_API_KEY ${s}`],
    ["azure key vault", random, (s) => `az keyvault secret set --vault-name v --name DbPassword --value ${s}`],
    ["azure login", (of) => `${of.word(3)}8Q~${of.url(34)}`, (s) => `az login --service-principal -u app -p ${s}`],
    ["azure storage", (of) => of.base64(64), (s) => `AccountName=shop;AccountKey=${s};EndpointSuffix=x.test`],
    ["google key", (of) => `AIza${of.url(35)}`, (s) => `https://maps.test/js?key=${s}`],
    ["google access token", (of) => `ya29.${of.url(120)}`, (s) => `gcloud config set auth/access_token ${s}`],
    ["heroku config:set", random, (s) => `heroku config:set SECRET_KEY_BASE=${s} -a shop`],
    ["netlify env:set", random, (s) => `netlify env:set STRIPE_SECRET_KEY ${s}`],
    ["fly secrets set", random, (s) => `fly secrets set SESSION_SECRET=${s}`],
    ["gh secret set", random, (s) => `gh secret set DEPLOY_TOKEN --body ${s}`],
    ["vault kv put", chosen, (s) => `vault kv put secret/app password=${s}`],
    ["pulumi config", chosen, (s) => `pulumi config set --secret dbPassword ${s}`],
    ["terraform variable", chosen, (s) => `export TF_VAR_db_password=${s}`],
    ["npm config set", random, (s) => `npm config set //registry.test/:_authToken ${s}`],
    ["GitHub token", token, (s) => `cloning with ${s}`],
    ["OpenAI key", (of) => `sk-proj-${of.url(120)}`, (s) => `client = OpenAI(api_key="${s}")`],
    ["Anthropic key", (of) => `sk-ant-api03-${of.url(93)}AA`, (s) => `x-api-key: ${s}`],
    ["Slack token", (of) => `xoxb-${of.digits(12)}-${of.digits(13)}-${of.word(24)}`, (s) => `slack ${s}`],
  ],
  "tokens, addresses, headers": [
    ["JWT", (of) => `eyJhbGciOiJIUzI1NiJ9.eyJ${of.word(60)}.${of.url(43)}`, (s) => `got ${s} back`],
    ["postgres address", (of) => of.word(18), (s) => `postgres://app:${s}@db.test:5432/shop`],
    ["mongodb address", (of) => of.word(16), (s) => `mongodb+srv://app:${s}@cluster0.test/shop`],
    ["redis address", (of) => of.word(24), (s) => `redis://:${s}@cache.test:6379/0`],
    ["proxy address", (of) => of.passphrase(), (s) => `HTTPS_PROXY=http://ada:${s}@proxy.test:3128`],
    ["JDBC", chosen, (s) => `jdbc:sqlserver://db.test;user=sa;password=${s};encrypt=true`],
    ["ADO", chosen, (s) => `Server=db.test;Uid=sa;Pwd=${s};`],
    ["Basic header", (of) => toBase64(`ada:${of.password()}`), (s) => `Authorization: Basic ${s}`],
    ["Bearer header", random, (s) => `curl -H 'Authorization: Bearer ${s}' https://api.test`],
    ["X-Api-Key header", random, (s) => `X-Api-Key: ${s}`],
    ["cookie", random, (s) => `Cookie: theme=dark; session=${s}`],
    ["curl -u", (of) => of.passphrase(), (s) => `curl -u ada:${s} https://git.test`],
    ["netrc", chosen, (s) => `machine git.test login ada password ${s}`],
    ["mysql -p", (of) => of.passphrase(), (s) => `mysql -u root -p${s} shop`],
  ],
  PEM: [
    ["RSA", (of) => lines(of, 6), (s) => `-----BEGIN RSA PRIVATE KEY-----\n${s}\n-----END RSA PRIVATE KEY-----`],
    [
      "OpenSSH",
      (of) => lines(of, 4),
      (s) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${s}\n-----END OPENSSH PRIVATE KEY-----`,
    ],
    ["without its first lines", (of) => lines(of, 5), (s) => `${s}\n-----END RSA PRIVATE KEY-----`],
    ["without its last lines", (of) => lines(of, 5), (s) => `-----BEGIN EC PRIVATE KEY-----\n${s}`],
    ["the last line of it", (of) => of.base64(30), (s) => `${s}\n-----END PRIVATE KEY-----`],
    [
      "on one line",
      (of) => lines(of, 4).replaceAll("\n", "\\n"),
      (s) => `KEY="-----BEGIN PRIVATE KEY-----\\n${s}\\n-----END PRIVATE KEY-----"`,
    ],
    [
      "PGP",
      (of) => lines(of, 6),
      (s) => `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${s}\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----`,
    ],
    ["base64 of it", (of) => toBase64(`-----BEGIN PRIVATE KEY-----\n${lines(of, 3)}\n-----END PRIVATE KEY-----\n`)],
  ],
  settings: [
    ["plain", chosen, (s) => `SMTP_PASSWORD=${s}`],
    ["quoted", chosen, (s) => `SMTP_PASSWORD="${s}"`],
    [
      "quoted with spaces",
      (of) => `${of.passphrase()} ${of.passphrase()} ${of.digits(2)}`,
      (s) => `SMTP_PASSWORD="${s}"`,
    ],
    ["in single quotes with spaces", (of) => `${of.passphrase()} ${of.password()}`, (s) => `export VAULT_TOKEN='${s}'`],
    ["fish set -x", random, (s) => `set -x API_TOKEN ${s}`],
    ["fish set -gx, a chosen one", chosen, (s) => `set -gx DB_PASSWORD ${s}`],
    ["csh setenv", chosen, (s) => `setenv DB_PASSWORD ${s}`],
    ["Dockerfile ENV", random, (s) => `FROM node\nENV API_SECRET ${s}\nRUN npm ci`],
    ["compose list", chosen, (s) => `environment:\n  - POSTGRES_PASSWORD=${s}`],
    ["k8s name and value", chosen, (s) => `- name: DB_PASSWORD\n  value: "${s}"`],
    ["k8s name and random value", random, (s) => `env:\n- name: API_TOKEN\n  value: ${s}`],
    ["name and value in JSON", chosen, (s) => `{"name":"DB_PASSWORD","value":"${s}"}`],
    ["PowerShell", random, (s) => `$env:API_KEY = "${s}"`],
    ["cmd", random, (s) => `set API_KEY=${s}`],
    ["systemd", chosen, (s) => `Environment="DB_PASSWORD=${s}"`],
    ["INI", chosen, (s) => `[mail]\npassword = ${s}\nport = 25`],
    ["TOML", random, (s) => `[registry]\ntoken = "${s}"`],
    ["PHP define", chosen, (s) => `define('DB_PASSWORD', '${s}');`],
    ["setter call", random, (s) => `headers.set("X-Api-Key", "${s}")`],
    ["SQL", chosen, (s) => `CREATE USER app WITH PASSWORD '${s}';`],
    ["columns", random, (s) => `API_KEY:            ${s}`],
    ["a name without a hint", (of) => of.word(28), (s) => `STRIPE=${s}`],
  ],
  encoded: [
    ["base64 of a token", (of) => toBase64(token(of)), (s) => `data: ${s}`],
    ["base64 of a token in a sentence", (of) => toBase64(`token ${token(of)}\n`), (s) => `echo ${s} | base64 -d`],
    ["base64 of an .env", (of) => toBase64(envFile(of)), (s) => `ENV_FILE: ${s}`],
    ["base64 of an .env, wrapped", (of) => wrapped(toBase64(envFile(of) + envFile(of)))],
    [
      "base64url of JSON",
      (of) => Buffer.from(`{"password":"${of.password()}"}`).toString("base64url"),
      (s) => `state ${s}`,
    ],
    ["data address", (of) => toBase64(envFile(of)), (s) => `data:text/plain;base64,${s}`],
    ["hex of a token", (of) => toHex(token(of)), (s) => `hex ${s}`],
    ["hex of an .env", (of) => toHex(envFile(of)), (s) => `0x${s}`],
    ["percent-encoded token", (of) => toPercent(token(of)), (s) => `https://x.test/?t=${s}&a=1`],
    ["percent-encoded twice", (of) => encodeURIComponent(toPercent(token(of))), (s) => `next=${s}`],
    ["percent-encoded setting", (of) => toPercent(`DB_PASSWORD=${of.word(20)}`), (s) => `q=${s}`],
    ["percent-encoded address", (of) => toPercent(`postgres://app:${of.word(20)}@db.test/shop`), (s) => `url=${s}`],
    [
      "AES key by -K",
      (of) => of.hex(64),
      (s) => `openssl enc -aes-256-cbc -K ${s} -iv 000102030405060708090a0b0c0d0e0f`,
    ],
    ["k8s secret", (of) => toBase64(of.password()), (s) => `kind: Secret\ndata:\n  password: ${s}`],
    ["docker auth", (of) => toBase64(`ada:${of.password()}`), (s) => `{"auths":{"registry.test":{"auth":"${s}"}}}`],
  ],
  "several lines, tables, colors": [
    ["a prompt and its answer", chosen, (s) => `Password:\n${s}`],
    ["sudo", chosen, (s) => `[sudo] password for ada:\n${s}`],
    ["a prompt for a token", random, (s) => `Enter your API token:\n${s}`],
    ["YAML block", chosen, (s) => `password: |\n  ${s}`],
    ["Markdown row", chosen, (s) => `| Setting | Value |\n| --- | --- |\n| password | ${s} |`],
    ["Markdown row with a token", random, (s) => `| API token | \`${s}\` |`],
    ["Markdown column", chosen, (s) => `| User | Password |\n| --- | --- |\n| ada | ${s} |`],
    ["psql column", chosen, (s) => ` user | password\n------+----------\n ada  | ${s}\n(1 row)`],
    ["Markdown bold", chosen, (s) => `- **Password:** ${s}`],
    ["colored value", chosen, (s) => `DB_PASSWORD=${red(s)}`],
    ["colored name", random, (s) => `${red("api_token")}: ${red(s)}`],
    ["color inside a token", (of) => of.word(36), (s) => `${red("ghp_")}${s}`],
    ["XML on its own line", chosen, (s) => `<password>\n  ${s}\n</password>`],
    ["prose", chosen, (s) => `The password is ${s} and it never expires.`],
  ],
};

export const placedKinds: readonly PlacedKind[] = Object.entries(groups).flatMap(([group, rows]) =>
  rows.map(([kind, make, write = (secret: string) => secret]) => ({
    group,
    kind,
    write: (of: SecretMaker) => {
      const secret = make(of);
      return { text: write(secret), secret };
    },
  })),
);

/** How many of these secrets a redactor leaves, with where. */
export function scorePlaces(
  redact: Redactor,
  { seed, kinds = placedKinds }: { readonly seed: number; readonly kinds?: readonly PlacedKind[] },
): {
  readonly cases: number;
  readonly leaked: readonly { readonly kind: string; readonly place: string; readonly left: string }[];
} {
  const of = createSecretMaker(seed);
  const leaked = kinds.flatMap(({ group, kind, write }) => {
    const { text, secret } = write(of);
    return Object.entries(secretPlaces).flatMap(([place, put]) => {
      const left = redact(put(text));
      return isLeaked(left, secret) ? [{ kind: `${group}: ${kind}`, place, left: JSON.stringify(left) }] : [];
    });
  });
  return { cases: kinds.length * Object.keys(secretPlaces).length, leaked };
}
