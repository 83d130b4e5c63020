import { signs } from "./secret-signs.ts";

/** A kind of secret: how its text looks, and what is put in its place. Every pattern is bounded, so that time stays linear. */
export interface SecretPattern {
  readonly name: string;
  /** Global. A group named `keep` is left in front of the replacement. */
  readonly pattern: RegExp;
  /** Texts of which one must be there before the pattern is tried. */
  readonly hints: readonly string[];
}

/** A pattern that is tried only on texts that show its sign. */
export interface KnownSecret extends Omit<SecretPattern, "hints"> {
  readonly sign: RegExp;
  /** What must be in it, too. Asked of a match, for asking while matching would go over hostile text again and again. */
  readonly holds?: RegExp;
}

const key = (name: string, body: string): KnownSecret => ({ name, pattern: new RegExp(String.raw`(?<![A-Za-z0-9])${body}`, "g"), sign: signs.token });

/** A name such as `pk_user_organization_id` has neither digits nor capitals; a key without either is one in a billion. */
const NO_NAME = /[0-9A-Z]/;

/** Keys and tokens that can be told by their look, wherever they stand. How each of them begins is among the signs, too. */
export const secretPatterns: readonly KnownSecret[] = [
  { ...key("api-key", "(?:sk|rk|pk)[-_][A-Za-z0-9_-]{16,250}"), holds: NO_NAME },
  key("github-token", "(?:gh[pousr]_[A-Za-z0-9]{16,255}|github_pat_[A-Za-z0-9_]{16,255})"),
  key("gitlab-token", "gl(?:pat|ptt|dt|rt|cbt|soat)-[A-Za-z0-9_.-]{16,255}"),
  key("slack-token", "(?:xox[abeoprs]-|xapp-)[A-Za-z0-9-]{10,250}"),
  key("aws-key-id", "(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}(?![0-9A-Z])"),
  key("google-key", "(?:AIza[0-9A-Za-z_-]{35}|ya29\\.[0-9A-Za-z_-]{20,500}|GOCSPX-[0-9A-Za-z_-]{20,60})"),
  { ...key("provider-key", String.raw`(?:gsk_|hf_|xai-|pplx-|r8_|npm_|dop_v1_|pypi-|nvapi-|tvly-|fw_|csk-|lin_api_|secret_|SG\.|dapi|shpat_|figd_|PMAK-|key-)[A-Za-z0-9_.-]{20,250}`), holds: NO_NAME },
  key("jwt", "eyJ[A-Za-z0-9_-]{8,4000}\\.[A-Za-z0-9_-]{4,8000}(?:\\.[A-Za-z0-9_-]{0,2000})?"),
  { name: "url-password", pattern: /(?<keep>[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/[^\s:@/"'<>]{0,200}:)[^\s@/"'<>]{1,300}(?=@)/g, sign: signs.address },
  { name: "authorization", pattern: /(?<keep>\b(?:bearer|basic|token)\s{1,4})[A-Za-z0-9._~+/=-]{12,4000}/gi, holds: /\d/, sign: signs.authorization },
  { name: "cookie", pattern: /(?<keep>\b(?:set-)?cookie["']?\s{0,4}[:=]\s{0,4}["']?)[^\r\n"']{4,8000}/gi, sign: signs.assignment },
  {
    name: "password",
    pattern: /(?<keep>(?:passw(?:or)?d|pwd|secret|token|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|client[_-]?secret|credential)["'\\]{0,3}\s{0,3}(?:=>|[:=])\s{0,3}["'\\]{0,3})[^\s"'\\&,;)}\]]{6,300}/gi,
    holds: /[\d!#%^*]/,
    sign: signs.assignment,
  },
];

/** Members whose text is a secret whatever it looks like. */
export const secretMember = /^(?:(?:proxy[-_]?)?authorization|(?:set[-_]?)?cookie|x[-_]api[-_]key|api[-_]?key|passw(?:or)?d|passphrase|secret|client[-_]?secret|(?:access|refresh|id|auth|session|bearer|api)[-_]?token|token|private[-_]?key|secret[-_]?(?:access[-_]?)?key|access[-_]?key|credentials?|connection[-_]?string)$/i;

const PRIVATE_KEY = /-----BEGIN[A-Z0-9 %+]{0,50}PRIVATE(?: |%20|\+)KEY/g;
const END = "-----END";

/** Takes out private keys in PEM form; one whose end was cut off goes to the end of the text. */
export function redactPem(text: string): string {
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
  return result + text.slice(at);
}

/** Puts a name where a pattern finds a secret. What was taken out before stays as it is. */
export function replaceSecret(text: string, { name, pattern, holds }: Pick<KnownSecret, "name" | "pattern" | "holds">): string {
  return text.replace(pattern, (match: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as { readonly keep?: string } | string;
    const keep = typeof groups === "object" ? (groups.keep ?? "") : "";
    if (match.startsWith("[redacted:", keep.length) || holds?.test(match.slice(keep.length || 3)) === false) return match;
    return `${keep}[redacted:${name}]`;
  });
}
