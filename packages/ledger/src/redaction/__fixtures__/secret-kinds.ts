/**
 * The yardstick of redaction: kinds of secrets as their issuers document them, each in a shell command, in the input of
 * a tool, in a line of output and in an error or an address. Written before the patterns were; every secret is made
 * from a seed. A kind that is told by its look stands in texts that say nothing about it; the others keep the words
 * that they always come with.
 */
import type { JsonObject } from "@phasekit/core";
import { createSecretMaker, type SecretMaker } from "./make-secret.ts";

export const carriers = ["shell", "input", "output", "error"] as const;
export type Carrier = (typeof carriers)[number];

export interface SecretCase {
  readonly kind: string;
  readonly carrier: Carrier;
  readonly event: JsonObject;
  /** What must not be left, not even eight characters of it. */
  readonly secret: string;
}

/** The four texts; a text stands for itself in its usual place. */
export type Carried = Readonly<Record<Carrier, string | JsonObject>>;

export interface SecretKind {
  readonly kind: string;
  readonly make: (of: SecretMaker) => string;
  readonly carry: (secret: string) => Carried;
}

/** Texts that say nothing about what they carry. */
const anywhere = (secret: string): Carried => ({
  shell: `node scripts/deploy.js --target staging ${secret} && echo done`,
  input: { file_path: "src/config.ts", content: `export const value = "${secret}";\n` },
  output: `2026-03-01T10:00:00Z INFO  worker: started with ${secret} (attempt 1)`,
  error: `Error: request to https://api.service.test/v1/things?arg=${secret} failed with status 401`,
});

/** A variable of the environment, as shells, files and messages show it. */
const variable =
  (name: string) =>
  (secret: string): Carried => ({
    shell: `export ${name}=${secret}; npm start`,
    input: { path: ".env", content: `PORT=3000\n${name}=${secret}\nDEBUG=1\n` },
    output: `+ env\nHOME=/root\n${name}=${secret}\nSHELL=/bin/bash`,
    error: `Error: invalid configuration {"${name}":"${secret}"} in line 3`,
  });

/** A password in an address. */
const address =
  (before: string, after: string) =>
  (secret: string): Carried => ({
    shell: `DATABASE=x tool --connect "${before}${secret}${after}" --verbose`,
    input: { env: { STORE: `${before}${secret}${after}` } },
    output: `[info] connecting to ${before}${secret}${after} ...`,
    error: `Error: getaddrinfo ENOTFOUND while opening '${before}${secret}${after}'`,
  });

const header =
  (name: string, scheme: string) =>
  (secret: string): Carried => ({
    shell: `curl -s -H '${name}: ${scheme}${secret}' https://api.service.test/v1/me`,
    input: { url: "https://api.service.test", headers: { [name]: `${scheme}${secret}` } },
    output: `> GET /v1/me HTTP/1.1\n> Host: api.service.test\n> ${name}: ${scheme}${secret}\n> Accept: */*`,
    error: `Error: 403 for request with headers {"accept":"*/*","${name.toLowerCase()}":"${scheme}${secret}"}`,
  });

/** A line of a shell command, repeated wherever commands are told. */
const command =
  (write: (secret: string) => string) =>
  (secret: string): Carried => ({
    shell: write(secret),
    input: { tool: "shell", args: { script: `set -e\n${write(secret)}\n` } },
    output: `$ ${write(secret)}\nok`,
    error: `Error: Command failed: ${write(secret)}\nexit status 1`,
  });

/** A text that is always the same: a file of settings. */
const file =
  (name: string, write: (secret: string) => string) =>
  (secret: string): Carried => ({
    shell: `cat > ${name} <<'END'\n${write(secret)}\nEND`,
    input: { file_path: name, content: write(secret) },
    output: `$ cat ${name}\n${write(secret)}`,
    error: `Error: cannot parse ${name} near:\n${write(secret)}`,
  });

type Row = readonly [kind: string, make: (of: SecretMaker) => string, carry?: (secret: string) => Carried];

const pemBody = (of: SecretMaker, lines: number): string =>
  Array.from({ length: lines }, () => of.base64(48)).join("\n");

const rows: readonly Row[] = [
  // Code hosts, registries, builds.
  ["GitHub personal token", (of) => `ghp_${of.word(36)}`],
  ["GitHub app token", (of) => `ghs_${of.word(36)}`],
  ["GitHub OAuth token", (of) => `gho_${of.word(36)}`],
  ["GitHub fine-grained token", (of) => `github_pat_${of.word(22)}_${of.word(59)}`],
  ["GitLab personal token", (of) => `glpat-${of.url(20)}`],
  ["GitLab runner token", (of) => `glrt-${of.url(20)}`],
  ["GitLab feed token", (of) => `glft-${of.url(20)}`],
  ["GitLab OAuth secret", (of) => `gloas-${of.hex(64)}`],
  ["Bitbucket app password", (of) => `ATBB${of.word(32)}`],
  ["Atlassian API token", (of) => `ATATT3xFfGF0${of.url(180)}=${of.upperWord(8)}`],
  ["npm token", (of) => `npm_${of.word(36)}`],
  [
    "npmrc _authToken",
    (of) => of.uuid(),
    file(".npmrc", (s) => `registry=https://npm.test/\n//npm.test/:_authToken=${s}`),
  ],
  [
    "npmrc _password",
    (of) => of.base64(18),
    file(".npmrc", (s) => `//npm.test/:username=ci\n//npm.test/:_password=${s}`),
  ],
  ["PyPI token", (of) => `pypi-AgEIcHlwaS5vcmc${of.url(150)}`],
  ["pypirc password", (of) => of.password(), file(".pypirc", (s) => `[pypi]\nusername = ada\npassword = ${s}`)],
  ["RubyGems key", (of) => `rubygems_${of.hex(48)}`],
  ["crates.io token", (of) => `cio${of.word(32)}`],
  ["NuGet key", (of) => `oy2${of.lowerWord(43)}`],
  ["Docker Hub token", (of) => `dckr_pat_${of.url(27)}`],
  [
    "Docker config auth",
    (of) => Buffer.from(`ada:${of.password()}`).toString("base64"),
    file("config.json", (s) => `{"auths":{"https://index.docker.test/v1/":{"auth":"${s}"}}}`),
  ],
  ["Artifactory key", (of) => `AKCp${of.word(69)}`],
  ["CircleCI token", (of) => `CCIPAT_${of.word(22)}_${of.hex(40)}`],
  ["Buildkite token", (of) => `bkua_${of.hex(40)}`],
  ["Terraform Cloud token", (of) => `${of.word(14)}.atlasv1.${of.url(64)}`],
  ["Terraform variable", (of) => of.password(), file("prod.tfvars", (s) => `region = "eu"\ndb_password = "${s}"`)],
  ["Pulumi token", (of) => `pul-${of.hex(40)}`],
  // Clouds.
  ["AWS key id", (of) => `AKIA${of.upper(4)}234567${of.upper(6)}`],
  ["AWS secret key", (of) => of.base64(30), variable("AWS_SECRET_ACCESS_KEY")],
  ["AWS session token", (of) => `IQoJb3JpZ2luX2Vj${of.base64(200)}`, variable("AWS_SESSION_TOKEN")],
  [
    "AWS credentials file",
    (of) => of.base64(30),
    file("credentials", (s) => `[default]\naws_access_key_id = AKIAQ2W3E4R5T6Y7U2I3\naws_secret_access_key = ${s}`),
  ],
  ["AWS Bedrock key", (of) => `ABSK${of.base64(96)}`],
  [
    "AWS signed address",
    (of) => of.hex(64),
    address("https://bucket.s3.test/a?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=", ""),
  ],
  ["Google API key", (of) => `AIza${of.url(35)}`],
  [
    "Google service account",
    (of) => of.base64(600),
    file(
      "key.json",
      (s) =>
        `{"type":"service_account","private_key":"-----BEGIN PRIVATE KEY-----\\n${s}\\n-----END PRIVATE KEY-----\\n"}`,
    ),
  ],
  ["Google OAuth access token", (of) => `ya29.${of.url(120)}`],
  ["Google OAuth refresh token", (of) => `1//0${of.url(60)}`],
  ["Google client secret", (of) => `GOCSPX-${of.url(28)}`],
  [
    "Azure storage key",
    (of) => of.base64(64),
    address("DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=", ";EndpointSuffix=core.windows.test"),
  ],
  [
    "Azure SAS",
    (of) => encodeURIComponent(of.base64(32)),
    address("https://shop.blob.core.windows.test/a?sv=2024-11-04&se=2026-01-01&sr=b&sp=r&sig=", ""),
  ],
  ["Azure AD client secret", (of) => `${of.word(3)}8Q~${of.url(34)}`],
  [
    "Azure Service Bus key",
    (of) => of.base64(32),
    address("Endpoint=sb://bus.servicebus.windows.test/;SharedAccessKeyName=Root;SharedAccessKey=", ""),
  ],
  ["DigitalOcean token", (of) => `dop_v1_${of.hex(64)}`],
  ["Heroku key", (of) => `HRKU-${of.url(60)}`],
  ["Heroku key as variable", (of) => of.uuid(), variable("HEROKU_API_KEY")],
  ["Cloudflare token as variable", (of) => of.url(40), variable("CLOUDFLARE_API_TOKEN")],
  ["Cloudflare origin key", (of) => `v1.0-${of.hex(24)}-${of.hex(146)}`],
  ["Fly.io token", (of) => `fm2_${of.base64(90)}`],
  ["Netlify token", (of) => `nfp_${of.word(36)}`],
  ["Supabase token", (of) => `sbp_${of.hex(40)}`],
  ["PlanetScale token", (of) => `pscale_tkn_${of.url(43)}`],
  ["Databricks token", (of) => `dapi${of.hex(32)}`],
  ["Snowflake password", (of) => of.password(), variable("SNOWFLAKE_PASSWORD")],
  ["Tailscale key", (of) => `tskey-auth-${of.word(17)}-${of.word(32)}`],
  ["Doppler token", (of) => `dp.pt.${of.word(43)}`],
  ["Vault service token", (of) => `hvs.${of.url(90)}`],
  ["Vault batch token", (of) => `hvb.${of.url(140)}`],
  ["1Password service token", (of) => `ops_eyJ${of.word(250)}`],
  // Models.
  ["OpenAI key", (of) => `sk-proj-${of.url(120)}`],
  ["OpenAI older key", (of) => `sk-${of.word(20)}T3BlbkFJ${of.word(20)}`],
  ["Anthropic key", (of) => `sk-ant-api03-${of.url(93)}AA`],
  ["OpenRouter key", (of) => `sk-or-v1-${of.hex(64)}`],
  ["Hugging Face token", (of) => `hf_${of.letters(34)}`],
  ["Replicate token", (of) => `r8_${of.word(37)}`],
  ["Groq key", (of) => `gsk_${of.word(52)}`],
  ["xAI key", (of) => `xai-${of.word(80)}`],
  ["Perplexity key", (of) => `pplx-${of.word(48)}`],
  ["NVIDIA key", (of) => `nvapi-${of.url(64)}`],
  ["LangSmith key", (of) => `lsv2_pt_${of.hex(32)}_${of.hex(10)}`],
  ["Pinecone key", (of) => `pcsk_${of.word(6)}_${of.word(63)}`],
  ["Mistral key as variable", (of) => of.word(32), variable("MISTRAL_API_KEY")],
  ["Cohere key as variable", (of) => of.word(40), variable("COHERE_API_KEY")],
  // Messages, mail, payment, shops.
  ["Slack bot token", (of) => `xoxb-${of.digits(12)}-${of.digits(13)}-${of.word(24)}`],
  ["Slack app token", (of) => `xapp-1-A${of.upperWord(10)}-${of.digits(13)}-${of.hex(64)}`],
  [
    "Slack webhook",
    (of) => `T${of.upperWord(8)}/B${of.upperWord(10)}/${of.word(24)}`,
    (s) => anywhere(`https://hooks.slack.com/services/${s}`),
  ],
  ["Discord webhook", (of) => of.url(68), (s) => anywhere(`https://discord.com/api/webhooks/104857600000000001/${s}`)],
  ["Discord bot token", (of) => `MTA${of.word(21)}.G${of.word(5)}.${of.url(38)}`],
  ["Telegram bot token", (of) => `${of.digits(10)}:AA${of.url(33)}`],
  ["Twilio API key", (of) => `SK${of.hex(32)}`],
  ["Twilio auth token", (of) => of.hex(32), variable("TWILIO_AUTH_TOKEN")],
  ["SendGrid key", (of) => `SG.${of.url(22)}.${of.url(43)}`],
  ["Mailgun key", (of) => `key-${of.hex(32)}`],
  ["Mailchimp key", (of) => `${of.hex(32)}-us14`],
  ["Brevo key", (of) => `xkeysib-${of.hex(64)}-${of.word(16)}`],
  ["Resend key", (of) => `re_${of.word(8)}_${of.word(24)}`],
  ["Stripe key", (of) => `sk_live_${of.word(24)}`],
  ["Stripe restricted key", (of) => `rk_live_${of.word(24)}`],
  ["Stripe webhook secret", (of) => `whsec_${of.word(32)}`],
  ["Shopify token", (of) => `shpat_${of.hex(32)}`],
  ["Shopify app secret", (of) => `shpss_${of.hex(32)}`],
  ["Square token", (of) => `EAAA${of.url(60)}`],
  ["Square secret", (of) => `sq0csp-${of.url(43)}`],
  ["Plaid access token", (of) => `access-production-${of.uuid()}`],
  // Work, watching, design.
  ["Linear key", (of) => `lin_api_${of.word(40)}`],
  ["Notion token", (of) => `ntn_${of.digits(11)}${of.word(35)}`],
  ["Figma token", (of) => `figd_${of.url(40)}`],
  ["Airtable token", (of) => `pat${of.word(14)}.${of.hex(64)}`],
  ["Sentry token", (of) => `sntrys_eyJ${of.word(120)}_${of.url(43)}`],
  ["New Relic key", (of) => `NRAK-${of.upperWord(27)}`],
  ["Grafana service token", (of) => `glsa_${of.word(32)}_${of.hex(8)}`],
  ["Datadog key as variable", (of) => of.hex(32), variable("DD_API_KEY")],
  ["Dynatrace token", (of) => `dt0c01.${of.upperWord(24)}.${of.upperWord(64)}`],
  ["Postman key", (of) => `PMAK-${of.hex(24)}-${of.hex(34)}`],
  ["Dropbox token", (of) => `sl.${of.url(140)}`],
  // Addresses with passwords.
  ["Postgres address", (of) => of.password().replace("#", "+"), address("postgres://app:", "@db.test:5432/shop")],
  ["MySQL address", (of) => of.passphrase(), address("mysql://root:", "@10.0.0.5/shop")],
  ["MongoDB address", (of) => of.word(16), address("mongodb+srv://app:", "@cluster0.test/shop?retryWrites=true")],
  ["Redis address without user", (of) => of.word(24), address("redis://:", "@cache.test:6379/0")],
  ["AMQP address", (of) => of.word(18), address("amqps://worker:", "@mq.test/vhost")],
  [
    "address whose password has a slash",
    (of) => `${of.word(7)}/${of.word(8)}`,
    address("postgres://app:", "@db.test/shop"),
  ],
  ["basic-auth address", (of) => of.passphrase(), address("https://ada:", "@git.test/org/repo.git")],
  ["token as user of an address", (of) => of.hex(40), address("https://", "@git.test/org/repo.git")],
  ["JDBC address", (of) => of.password(), address("jdbc:sqlserver://db.test:1433;user=sa;password=", ";encrypt=true")],
  ["ADO connection string", (of) => of.password(), address("Server=db.test;Database=shop;Uid=sa;Pwd=", ";")],
  ["token in a query", (of) => of.word(32), address("https://api.service.test/v1/me?access_token=", "&page=2")],
  // Variables and settings.
  ["SMTP_PASS", (of) => of.passphrase(), variable("SMTP_PASS")],
  ["SECRET_KEY", (of) => of.word(50), variable("SECRET_KEY")],
  ["ENCRYPTION_KEY", (of) => of.hex(64), variable("ENCRYPTION_KEY")],
  ["PGPASSWORD of letters", (of) => of.passphrase(), variable("PGPASSWORD")],
  ["JWT_SECRET", (of) => of.letters(32), variable("JWT_SECRET")],
  ["client secret", (of) => of.word(40), variable("OAUTH_CLIENT_SECRET")],
  ["Rails secret_key_base", (of) => of.hex(128), file("secrets.yml", (s) => `production:\n  secret_key_base: ${s}`)],
  [
    "YAML password",
    (of) => of.passphrase(),
    file("values.yaml", (s) => `database:\n  user: app\n  password: ${s}\n  port: 5432`),
  ],
  [
    "XML password",
    (of) => of.passphrase(),
    file("settings.xml", (s) => `<server><id>x</id><password>${s}</password></server>`),
  ],
  [
    "Gradle password",
    (of) => of.password(),
    file("gradle.properties", (s) => `signing.keyId=1\nsigning.password=${s}`),
  ],
  ["Django setting", (of) => of.word(50), file("settings.py", (s) => `DEBUG = False\nSECRET_KEY = '${s}'`)],
  ["JSON setting of letters", (of) => of.passphrase(), file("app.json", (s) => `{"host":"db.test","password":"${s}"}`)],
  [
    "kubeconfig client key",
    (of) => of.base64(300),
    file("config", (s) => `users:\n- name: ada\n  user:\n    client-key-data: ${s}`),
  ],
  ["kubeconfig token", (of) => of.word(60), file("config", (s) => `users:\n- name: ada\n  user:\n    token: ${s}`)],
  ["netrc", (of) => of.password(), file(".netrc", (s) => `machine git.test login ada password ${s}`)],
  [
    "WireGuard key",
    (of) => of.base64(32),
    file("wg0.conf", (s) => `[Interface]\nPrivateKey = ${s}\nAddress = 10.0.0.2/24`),
  ],
  ["pgpass line", (of) => of.password(), file(".pgpass", (s) => `db.test:5432:shop:app:${s}`)],
  // Commands.
  ["--password x", (of) => of.passphrase(), command((s) => `deployctl login --user ada --password ${s} --region eu`)],
  ["--password=x", (of) => of.password(), command((s) => `deployctl login --user=ada --password=${s} --region eu`)],
  ["--token x", (of) => of.letters(32), command((s) => `deployctl push --token ${s} .`)],
  ["curl -u", (of) => of.passphrase(), command((s) => `curl -fsS -u ada:${s} https://git.test/api`)],
  ["mysql -p", (of) => of.passphrase(), command((s) => `mysql -h db.test -u root -p${s} shop -e 'select 1'`)],
  ["sshpass", (of) => of.password(), command((s) => `sshpass -p '${s}' ssh ada@host.test uptime`)],
  ["docker login -p", (of) => of.passphrase(), command((s) => `docker login -u ada -p ${s} registry.test`)],
  ["redis-cli -a", (of) => of.word(20), command((s) => `redis-cli -h cache.test -a ${s} ping`)],
  ["openssl pass:", (of) => of.passphrase(), command((s) => `openssl enc -aes-256-cbc -pass pass:${s} -in a -out b`)],
  [
    "kubectl literal",
    (of) => of.passphrase(),
    command((s) => `kubectl create secret generic db --from-literal=password=${s}`),
  ],
  ["gpg --passphrase", (of) => of.passphrase(), command((s) => `gpg --batch --passphrase "${s}" -d backup.gpg`)],
  // Headers.
  ["Bearer of letters", (of) => of.letters(40), header("Authorization", "Bearer ")],
  ["Basic", (of) => Buffer.from(`ada:${of.password()}`).toString("base64"), header("Authorization", "Basic ")],
  ["ApiKey", (of) => of.letters(32), header("Authorization", "ApiKey ")],
  ["X-Api-Key", (of) => of.word(32), header("X-Api-Key", "")],
  ["Cookie", (of) => of.word(40), header("Cookie", "theme=dark; session=")],
  ["Set-Cookie", (of) => of.word(40), header("Set-Cookie", "sid=")],
  // Keys.
  ["JWT", (of) => `eyJhbGciOiJIUzI1NiJ9.eyJ${of.word(60)}.${of.url(43)}`],
  [
    "PEM key",
    (of) => pemBody(of, 6),
    file("id_rsa", (s) => `-----BEGIN RSA PRIVATE KEY-----\n${s}\n-----END RSA PRIVATE KEY-----`),
  ],
  [
    "OpenSSH key",
    (of) => pemBody(of, 4),
    file("id_ed25519", (s) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${s}\n-----END OPENSSH PRIVATE KEY-----`),
  ],
  [
    "PGP key",
    (of) => pemBody(of, 6),
    file("key.asc", (s) => `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${s}\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----`),
  ],
  [
    "base64 of a PEM key",
    (of) =>
      Buffer.from(`-----BEGIN PRIVATE KEY-----\n${pemBody(of, 3)}\n-----END PRIVATE KEY-----\n`).toString("base64"),
  ],
  ["age key", (of) => `AGE-SECRET-KEY-1${of.upperWord(58)}`],
  ["mnemonic", (of) => of.mnemonic(12), variable("WALLET_MNEMONIC")],
];

export const secretKinds: readonly SecretKind[] = rows.map(([kind, make, carry = anywhere]) => ({ kind, make, carry }));

/** Every kind in every carrier, made from a seed. */
export function secretCases(kinds: readonly SecretKind[], seed: number): readonly SecretCase[] {
  const maker = createSecretMaker(seed);
  return kinds.flatMap(({ kind, make, carry }) => {
    const secret = make(maker);
    const carried = carry(secret);
    return carriers.map((carrier) => ({ kind, carrier, event: toEvent(carrier, carried[carrier]), secret }));
  });
}

function toEvent(carrier: Carrier, text: string | JsonObject): JsonObject {
  if (carrier === "shell") return { type: "tool.started", tool: "bash", input: { command: text } };
  if (carrier === "input") return { type: "tool.started", tool: "write", input: text };
  if (carrier === "output") return { type: "tool.finished", tool: "bash", outcome: "ok", output: text };
  return { type: "model.failed", error: { name: "Error", message: text } };
}

/** Whether any eight characters in a row of a secret are left; of a shorter one, all of it. */
export function isLeaked(redacted: unknown, secret: string): boolean {
  // The name of what was taken out may be the beginning of it.
  const text = texts(redacted)
    .join("\n")
    .replace(/\[redacted:[a-z0-9_-]+\]/g, "[]");
  const window = Math.min(8, secret.length);
  for (let at = 0; at + window <= secret.length; at += 1) if (text.includes(secret.slice(at, at + window))) return true;
  return false;
}

function texts(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...texts(member)]);
}
