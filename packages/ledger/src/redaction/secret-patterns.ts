import { looksRandom } from "./looks-random.ts";
import { decode, isPlaceholder, isSecretValue } from "./secret-values.ts";

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
    pattern: /(?<keep>\bmachine\s{1,4}\S{1,200}\s{1,4}login\s{1,4}\S{1,200}\s{1,4}password\s{1,4})\S{4,300}/g,
    hints: ["machine "],
    holds: isNotPlaceholder,
  },
  {
    name: "password",
    pattern:
      /(?<keep><[A-Za-z0-9:._-]{0,40}(?:passw(?:or)?d|passphrase|secret|token|api-?key|private-?key)(?:\s[^<>]{0,100})?>)[^<>\s]{4,500}(?=<\/)/gi,
    hints: ["</"],
    holds: (secret) => isSecretValue(secret, "password", "tight"),
  },
  {
    name: "password",
    pattern: /(?<keep>^[\w.*-]{1,100}:(?:5432|6432|\*):[A-Za-z_*][\w*-]{0,60}:[A-Za-z_*][\w*-]{0,60}:)[^\s:]{6,200}$/gm,
    // A line of a pgpass file, with the usual ports of the server and of its pooler.
    hints: ["432:", "*:"],
    holds: (secret) => isSecretValue(secret, "password", "tight"),
  },
];

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
    name: "discord-token",
    pattern: /(?<![A-Za-z0-9_-])[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}/g,
    hints: ["."],
  },
  {
    name: "azure-secret",
    pattern: /(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,40}/g,
    hints: ["Q~"],
  },
  {
    name: "terraform-token",
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,90}/g,
    hints: [".atlasv1."],
  },
  { name: "mailchimp-key", pattern: /(?<![A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}(?!\w)/g, hints: ["-us"] },
  {
    name: "url-password",
    pattern: /(?<keep>:\/\/(?<=[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/))[A-Za-z0-9_.-]{20,300}(?=@)/g,
    hints: ["://"],
  },
  {
    name: "authorization",
    pattern: /(?<keep>\b(?:bearer|basic|token|api-?key)\s{1,4})[A-Za-z0-9._~+/=-]{12,4000}/gi,
    hints: [" "],
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

const PRIVATE_KEY = /-----BEGIN[A-Z0-9 %+]{0,50}PRIVATE(?: |%20|\+)KEY/g;
const END = "-----END";

/** Takes out private keys in PEM form; one whose end was cut off goes to the end of the text. */
export function redactPem(text: string): string {
  if (!text.includes("-----BEGIN") && !text.includes(ENCODED_BEGIN)) return text;
  let result = "";
  let at = 0;
  PRIVATE_KEY.lastIndex = 0;
  for (let head = PRIVATE_KEY.exec(text); head !== null; head = PRIVATE_KEY.exec(text)) {
    const end = text.indexOf(END, head.index);
    const close = end < 0 ? -1 : text.indexOf("-----", end + END.length);
    result += `${text.slice(at, head.index)}[redacted:private-key]`;
    at = close < 0 ? text.length : close + 5;
    PRIVATE_KEY.lastIndex = at;
  }
  return (result + text.slice(at)).replace(ENCODED_PEM, (match) =>
    decode(match.slice(0, 128))?.includes("PRIVATE KEY") === true ? "[redacted:private-key]" : match,
  );
}

/** How base64 of a PEM header begins, and the rest of it. */
const ENCODED_BEGIN = "LS0tLS1CRUdJTi";
const ENCODED_PEM = /LS0tLS1CRUdJTi[A-Za-z0-9+/=]{16,100000}/g;

/** Replaces what a pattern finds, if the text holds one of its hints. Earlier replacements stay. */
export function replaceSecret(text: string, { name, pattern, hints, holds }: KnownSecret): string {
  if (!hasHint(text, hints)) return text;
  return text.replace(pattern, (match: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as { readonly keep?: string } | string;
    const keep = typeof groups === "object" ? (groups.keep ?? "") : "";
    if (match.startsWith("[redacted:", keep.length) || holds?.(match.slice(keep.length)) === false) return match;
    return `${keep}[redacted:${name}]`;
  });
}

function hasHint(text: string, hints: readonly string[]): boolean {
  for (const hint of hints) if (text.includes(hint)) return true;
  return hints.length === 0;
}
