/** Secrets behind a flag of a command: `--password …`, `mysql -p…`. */
import { findCookie } from "./redact-assignments.ts";
import { judgeName } from "./secret-names.ts";
import { isPlaceholder, isSecretValue } from "./secret-values.ts";
import { bareValue, endOfMatch, quotedValues, replaceSpans, type Span } from "./text-spans.ts";

/** True if a text holds a flag: a hyphen behind a space, a quote or a hyphen, and before a letter. */
export function hasFlag(text: string): boolean {
  for (let at = text.indexOf("-"); at >= 0; at = text.indexOf("-", at + 1)) {
    const next = text.charCodeAt(at + 1) | 32;
    if (next >= 97 && next <= 122 && !/[A-Za-z0-9_]/.test(text[at - 1] ?? "")) return true;
  }
  return false;
}

const SECRET_FLAG =
  "passw(?:or)?d|passphrase|pass|pwd|secret|token|(?:api|access|secret|private|master)[-_]?key|credentials?";
const FLAG = new RegExp(
  String.raw`(?<![A-Za-z0-9_-])--?[A-Za-z0-9_-]{0,40}?(?:${SECRET_FLAG})[ \t]{1,3}["']?(?=[^\s"'-])`,
  "gi",
);

/** `--password x` and the like; with an equals sign they are assignments. */
export function redactFlags(text: string): string {
  const spans: Span[] = [];
  FLAG.lastIndex = 0;
  for (let match = FLAG.exec(text); match !== null; match = FLAG.exec(text)) {
    const [whole] = match;
    let from = match.index + whole.length;
    const quote = whole.at(-1) ?? "";
    const to = endOfMatch(text, from, quote === '"' || quote === "'" ? (quotedValues[quote] as RegExp) : bareValue);
    if (text.startsWith("pass:", from)) from += 5;
    const kind =
      judgeName(
        whole
          .trim()
          .replace(/["'\s]+$/, "")
          .replace(/^-+/, "x-"),
      ) ?? "password";
    if (!isSecretValue(text.slice(from, to), kind, quote === " " ? "tight" : "quoted")) continue;
    spans.push({ from, to, name: kind === "password" ? "password" : "secret" });
    FLAG.lastIndex = to;
  }
  return replaceSpans(text, spans);
}

const COOKIE_FLAG = "--cookie ";

/** `--cookie "session=…"`. */
export function redactCookieFlags(text: string): string {
  const spans: Span[] = [];
  for (let at = text.indexOf(COOKIE_FLAG); at >= 0; at = text.indexOf(COOKIE_FLAG, at + 1)) {
    const span = findCookie(text, at + COOKIE_FLAG.length - 1);
    if (span !== undefined) spans.push(span);
  }
  return replaceSpans(text, spans);
}

/** Commands that take a password by a short flag, and how; what follows the pattern is the password. */
interface CommandKind {
  /** A pattern of the names. */
  readonly commands: string;
  readonly before: RegExp;
}

const REGISTRY =
  "docker|podman|nerdctl|az|oc|skopeo|buildah|crane|oras|kamal|cf|doctl" + String.raw`|helm\s+registry|az\s+acr`;

const commandKinds: readonly CommandKind[] = [
  { commands: "curl|wget", before: /\s(?:-[a-zA-Z]{0,6}[uU]|--(?:proxy-)?user)[ \t=]{0,2}["']?[^\s:"'$]{1,100}:/ },
  { commands: "mysql|mysqldump|mysqladmin|mariadb|mariadb-dump|7za?|rar", before: /\s-p["']?(?=[^\s"'-])/ },
  { commands: "sshpass", before: /\s-p[ \t]{0,2}["']?/ },
  {
    commands: String.raw`(?:${REGISTRY})\s+login|mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport`,
    before: /\s-p[ \t]{1,2}["']?/,
  },
  { commands: "redis-cli", before: /\s-a[ \t]{1,2}["']?/ },
  { commands: "openssl|jarsigner|keytool", before: /\bpass:/ },
  { commands: "ldapsearch|ldapadd|ldapmodify|ldapwhoami|ldapdelete|ldappasswd", before: /\s-w[ \t]{1,2}["']?/ },
  { commands: "zip|unzip|mosquitto_pub|mosquitto_sub|sqlcmd|bcp", before: /\s-P[ \t]{1,2}["']?/ },
  { commands: "htpasswd", before: /\s-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}[ \t]+\S{1,200}[ \t]+\S{1,100}[ \t]+["']?/ },
  { commands: "smbclient|mount\\.cifs|rpcclient", before: /\s-U[ \t]{0,2}["']?[^\s%"']{1,100}%/ },
  { commands: "https?|xh", before: /\s-a[ \t]{1,2}["']?[^\s:"'$]{1,100}:/ },
];

const SHORT_FLAG = /\s-(?:[a-zA-Z]{0,6}[uUpPawb]|-(?:proxy-)?user)|\bpass:/;
const COMMAND = new RegExp(
  String.raw`(?<![\w.-])(?:${commandKinds.map(({ commands }) => `(${commands})`).join("|")})(?=[ \t])` +
    String.raw`(?:[^\n\r|;&\\]|\\[^]){1,500}`,
  "g",
);

/** A flag that means a password to one command and anything to others. */
export function redactCommands(text: string): string {
  if (!SHORT_FLAG.test(text)) return text;
  return text.replace(COMMAND, (segment: string, ...rest: unknown[]) => {
    const kind = commandKinds[rest.findIndex((group) => group !== undefined)];
    const before = kind?.before.exec(segment);
    if (before === null || before === undefined) return segment;
    const from = before.index + before[0].length;
    const quote = before[0].at(-1) ?? "";
    const to = endOfMatch(segment, from, quote === '"' || quote === "'" ? (quotedValues[quote] as RegExp) : bareValue);
    const value = segment.slice(from, to);
    if (value.length < 4 || isPlaceholder(value) || value.startsWith("[redacted:") || /^[./~]/.test(value))
      return segment;
    return `${segment.slice(0, from)}[redacted:password]${segment.slice(to)}`;
  });
}
