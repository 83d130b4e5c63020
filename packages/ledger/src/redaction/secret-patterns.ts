import { looksRandom } from "./looks-random.ts";
import { isPlaceholder, isSecretValue } from "./secret-values.ts";

/** A kind of secret: its pattern and its name. Every pattern is bounded, so that time stays linear. */
export interface SecretPattern {
  readonly name: string;
  /** Global. A group named `keep` is left in front of the replacement. */
  readonly pattern: RegExp;
  /** Texts of which one must be there before the pattern is tried. */
  readonly hints: readonly string[];
}

const isNotPlaceholder = (secret: string): boolean => !isPlaceholder(secret);

/** A pattern of ours. */
export interface KnownSecret extends SecretPattern {
  /** Asked about a match: a condition inside the pattern would read hostile text again and again. */
  readonly holds?: (secret: string) => boolean;
}

/** Line ends, plain or escaped, space and the sign of a diff. */
const SPACE = String.raw`(?:[\s+]|\\[nr]){0,20}`;

const TAG = String.raw`[A-Za-z0-9:._-]{0,40}(?:passw(?:or)?d|passphrase|secret|token|api-?key|private-?key)`;

/** Secrets with a fixed text in or around them. */
export const markedSecrets: readonly KnownSecret[] = [
  {
    name: "url-password",
    // A slash may be part of a password, but not behind the number of a port.
    pattern:
      /(?<keep>:\/\/(?<=[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/)[^\s:@/"'<>]{0,200}:)(?!\d{1,5}[/?#])[^\s@"'<>]{1,300}(?:@[^\s@/?#"'<>:]{1,100}(?=@))?(?=@)/g,
    hints: ["://"],
    holds: (secret) => !/^\$[{(A-Za-z_]|^\{\{|^\*+$/.test(secret),
  },
  {
    name: "password",
    pattern: new RegExp(
      String.raw`(?<keep><${TAG}(?:\s[^<>]{0,100})?>${SPACE})[^<>\s\\]{4,500}(?=${SPACE}<\/${TAG}>)`,
      "gi",
    ),
    hints: ["</"],
    holds: (secret) => isSecretValue(secret, "password", "tight"),
  },
  {
    name: "password",
    pattern: /(?<keep>^[\w.*-]{1,100}:(?:5432|6432|\*):[A-Za-z_*][\w*-]{0,60}:[A-Za-z_*][\w*-]{0,60}:)[^\s:]{6,200}$/gm,
    // A line of a pgpass file, with the usual ports of the server and of its pooler.
    hints: ["5432:", "6432:", "*:"],
    holds: (secret) => isSecretValue(secret, "password", "tight"),
  },
];

/** A line of a netrc file; it has the word "password" in it. */
export const netrcPassword: KnownSecret = {
  name: "password",
  pattern: /(?<keep>\bmachine\s{1,4}\S{1,200}\s{1,4}login\s{1,4}\S{1,200}\s{1,4}password\s{1,4})\S{4,300}/g,
  hints: ["machine"],
  holds: isNotPlaceholder,
};

/** Addresses in front of the secret part of a webhook. */
const WEBHOOKS = [
  String.raw`hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/`,
  String.raw`discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{8,25}/`,
  String.raw`webhook\.office\.com/webhookb2/`,
  String.raw`hooks\.zapier\.com/hooks/catch/`,
];

/** Secrets that look random, looked for only in texts where something does. */
export const randomSecrets: readonly KnownSecret[] = [
  {
    name: "webhook",
    pattern: new RegExp(`(?<keep>${WEBHOOKS.join("|")})[A-Za-z0-9@/_+-]{14,400}`, "g"),
    hints: ["hook"],
  },
  { name: "telegram-token", pattern: /(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{32,35}/g, hints: [":AA"] },
  {
    name: "azure-secret",
    pattern: /(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,40}/g,
    hints: ["Q~"],
  },
  {
    name: "terraform-token",
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,90}/g,
    hints: ["v1."],
  },
  { name: "mailchimp-key", pattern: /(?<![A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}(?!\w)/g, hints: ["-us"] },
  {
    name: "url-password",
    pattern: /(?<keep>:\/\/(?<=[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/))[A-Za-z0-9_.-]{20,300}(?=@)/g,
    hints: ["://"],
  },
].map((known) => ({ ...known, holds: looksRandom }));

/** Members whose text is a secret whatever it looks like. */
export const secretMember = new RegExp(
  `^(?:${[
    String.raw`(?:proxy[-_]?)?authorization|(?:set[-_]?)?cookie|credentials?|connection[-_]?string`,
    String.raw`passw(?:or)?d|passphrase|(?:client[-_]?)?secret`,
    String.raw`(?:(?:access|refresh|id|auth|session|bearer|api)[-_]?)?token`,
    String.raw`x[-_]api[-_]key|api[-_]?key|private[-_]?key|access[-_]?key|secret[-_]?(?:access[-_]?)?key`,
  ].join("|")})$`,
  "i",
);

const KEY_MARK = /-----(BEGIN|END)[A-Z0-9 %+]{0,50}PRIVATE(?: |%20|\+)KEY/g;
const END = "-----END";
/** A mark and a few letters. */
const SHORTEST_KEY = 28;

/**
 * Takes out private keys in PEM form. One whose end was cut off goes to the end of the text, one whose beginning was
 * cut off begins with its first line.
 */
export function redactPem(text: string): string {
  if (text.length < SHORTEST_KEY || !text.includes("PRIVATE")) return text;
  let result = "";
  let at = 0;
  KEY_MARK.lastIndex = 0;
  for (let mark = KEY_MARK.exec(text); mark !== null; mark = KEY_MARK.exec(text)) {
    const isWhole = mark[1] === "BEGIN";
    const end = isWhole ? text.indexOf(END, mark.index) : mark.index;
    const close = end < 0 ? -1 : text.indexOf("-----", end + END.length);
    const from = isWhole ? mark.index : startOfKey(text, mark.index, at);
    if (from === end && !isWhole) continue;
    result += `${text.slice(at, from)}[redacted:private-key]`;
    at = close < 0 ? text.length : close + 5;
    KEY_MARK.lastIndex = at;
  }
  return result + text.slice(at);
}

/** The letters of base64 at the end of a line, but not the `n` of an escaped line end in front of them. */
const KEY_LINE = /(?:(?<=\\n)|(?<!\\))[A-Za-z0-9+/=]{4,120}$/;

/** Where the lines of base64 in front of a mark begin: all but the last are of one length. */
function startOfKey(text: string, mark: number, least: number): number {
  let from = mark;
  let width = 0;
  for (let end = lineEndBefore(text, mark); end > least; end = lineEndBefore(text, from)) {
    const [line = ""] = KEY_LINE.exec(text.slice(Math.max(least, end - 120), end)) ?? [];
    if (line.length < (from === mark ? 4 : Math.max(40, width))) break;
    if (from < mark) width = line.length;
    from = end - line.length;
  }
  return from;
}

/** Where the line before a place ends; -1 if the place is not at the beginning of a line. */
function lineEndBefore(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < 12 && /[ \t+>-]/.test(text[start - 1] ?? "")) start -= 1;
  if (text[start - 1] === "\n") return text[start - 2] === "\r" ? start - 2 : start - 1;
  return text.startsWith(String.raw`\n`, start - 2) ? start - 2 : -1;
}

const MARK = "[redacted:";

/** Replaces what a pattern finds, if the text holds one of its hints. Earlier replacements stay. */
export function replaceSecret(text: string, { name, pattern, hints, holds }: KnownSecret): string {
  if (!hasHint(text, hints)) return text;
  return text.replace(pattern, (match: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as { readonly keep?: string } | string;
    const keep = typeof groups === "object" ? (groups.keep ?? "") : "";
    // Earlier replacements stay, also as the user of an address.
    if (match.startsWith(MARK, keep.length) || keep.endsWith(MARK)) return match;
    if (holds?.(match.slice(keep.length)) === false) return match;
    return `${keep}[redacted:${name}]`;
  });
}

function hasHint(text: string, hints: readonly string[]): boolean {
  for (const hint of hints) if (text.includes(hint)) return true;
  return hints.length === 0;
}
