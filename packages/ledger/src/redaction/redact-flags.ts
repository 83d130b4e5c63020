/** Secrets behind a flag of a command: `--password …`, `mysql -p…`. */
import { findCookie } from "./redact-assignments.ts";
import { judgeName } from "./secret-names.ts";
import { isPlaceholder, isSecretValue } from "./secret-values.ts";
import { bareValue, endOfMatch, quotedValues, replaceSpans, type Span } from "./text-spans.ts";

/** The places where flags begin: hyphens in front of a letter, not within a word. */
function findFlags(text: string): readonly number[] | undefined {
  let flags: number[] | undefined;
  for (let at = text.indexOf("-"); at >= 0; at = text.indexOf("-", at + 1)) {
    const next = text.charCodeAt(at + 1);
    const letter = (next === HYPHEN ? text.charCodeAt(at + 2) : next) | 32;
    if (letter >= 97 && letter <= 122 && !isInWord(text.charCodeAt(at - 1))) (flags ??= []).push(at);
  }
  return flags;
}

const HYPHEN = 0x2d;

function isInWord(code: number): boolean {
  const small = code | 32;
  return (small >= 97 && small <= 122) || (code >= 48 && code <= 57) || code === 95 || code === HYPHEN;
}

/** Replaces the secrets behind flags, and passwords that a command takes by a short one. */
export function redactFlags(text: string): string {
  const flags = findFlags(text);
  if (flags === undefined) return text;
  const result = replaceSpans(text, namedFlags(text, flags));
  const clean = replaceSpans(result, commandPasswords(result, result === text ? flags : (findFlags(result) ?? [])));
  return redactCookieFlags(clean);
}

const SECRET_FLAG =
  "passw(?:or)?d|passphrase|pass|pwd|secret|token|(?:api|access|secret|private|master)[-_]?key|credentials?";
const FLAG = new RegExp(String.raw`--?[A-Za-z0-9_-]{0,40}?(?:${SECRET_FLAG})[ \t]{1,3}["']?(?=[^\s"'-])`, "iy");

/** `--password x` and the like; with an equals sign they are assignments. */
function namedFlags(text: string, flags: readonly number[]): readonly Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const flag of flags) {
    FLAG.lastIndex = flag;
    const whole = flag < end ? undefined : FLAG.exec(text)?.[0];
    if (whole === undefined) continue;
    let from = flag + whole.length;
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
    end = to;
  }
  return spans;
}

const COOKIE_FLAG = "--cookie ";

/** `--cookie "session=…"`. */
function redactCookieFlags(text: string): string {
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
  { commands: "openssl|jarsigner|keytool", before: /\bpass:|\s-K[ \t]{1,2}["']?/ },
  { commands: "ldapsearch|ldapadd|ldapmodify|ldapwhoami|ldapdelete|ldappasswd", before: /\s-w[ \t]{1,2}["']?/ },
  { commands: "zip|unzip|mosquitto_pub|mosquitto_sub|sqlcmd|bcp", before: /\s-P[ \t]{1,2}["']?/ },
  { commands: "htpasswd", before: /\s-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}[ \t]+\S{1,200}[ \t]+\S{1,100}[ \t]+["']?/ },
  { commands: "smbclient|mount\\.cifs|rpcclient", before: /\s-U[ \t]{0,2}["']?[^\s%"']{1,100}%/ },
  { commands: "https?|xh", before: /\s-a[ \t]{1,2}["']?[^\s:"'$]{1,100}:/ },
];

/** Flags that take a password of some command. */
const SHORT_FLAG =
  /-(?:[pUu]|[aPwK](?=[ \t])|[a-zA-Z]{1,6}[uUb](?=[ \t=:])|[a-zA-Z]{0,4}b[a-zA-Z]{1,4}[ \t]|-(?:proxy-)?user)/y;
/** How far a flag may be from its command. */
const LONGEST = 500;
/** How long a flag may be together with the name of a user behind it. */
const LONGEST_USER = 120;
const COMMAND = new RegExp(
  // Not the name of a file to find.
  String.raw`(?<![\w.-]|-i?name ["']?)(?:${commandKinds.map(({ commands }) => `(${commands})`).join("|")})(?=[ \t])` +
    String.raw`(?:[^\n\r|;&\\]|\\[^]){1,${String(LONGEST)}}`,
  "g",
);

/** A flag that means a password to one command and anything to others: looks for the command around the flag. */
function commandPasswords(text: string, flags: readonly number[]): readonly Span[] {
  const spans: Span[] = [];
  let done = 0;
  let end = 0;
  for (const flag of flags) {
    SHORT_FLAG.lastIndex = flag;
    if (flag < done || text.charCodeAt(flag - 1) > 32 || !SHORT_FLAG.test(text)) continue;
    const start = startOfCommand(text, flag);
    for (const match of text.slice(start, flag + LONGEST).matchAll(COMMAND)) {
      const span = passwordIn(text, start + match.index, match);
      if (span === undefined || span.from < end) continue;
      spans.push(span);
      end = span.to;
    }
    // A flag near the end of what was read may have been cut.
    done = flag + LONGEST - LONGEST_USER;
  }
  return spans;
}

function passwordIn(text: string, at: number, match: RegExpExecArray): Span | undefined {
  const [segment, ...groups] = match;
  const before =
    commandKinds[groups.findIndex((group) => (group as string | undefined) !== undefined)]?.before.exec(segment);
  if (before === null || before === undefined) return undefined;
  const from = at + before.index + before[0].length;
  const quote = before[0].at(-1) ?? "";
  const to = endOfMatch(text, from, quote === '"' || quote === "'" ? (quotedValues[quote] as RegExp) : bareValue);
  const value = text.slice(from, to);
  if (value.length < 4 || isPlaceholder(value) || value.startsWith("[redacted:") || /^[./~]/.test(value))
    return undefined;
  return { from, to, name: "password" };
}

/** Where the line with a flag begins; a backslash continues a line. */
function startOfCommand(text: string, flag: number): number {
  let start = flag;
  while (start > 0 && flag - start < LONGEST && (text[start - 1] !== "\n" || text[start - 2] === "\\")) start -= 1;
  return start;
}
