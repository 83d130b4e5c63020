/** A kind of secret: how its text looks, and what is put in its place. Every pattern is bounded, so that time stays linear. */
export interface SecretPattern {
  readonly name: string;
  /** Global. A group named `keep` is left in front of the replacement. */
  readonly pattern: RegExp;
  /** Texts of which one must be there before the pattern is tried. */
  readonly hints: readonly string[];
}

const key = (name: string, body: string, ...hints: readonly string[]): SecretPattern => ({ name, pattern: new RegExp(String.raw`(?<![A-Za-z0-9])${body}`, "g"), hints });

/** Keys and tokens that can be told by their look, wherever they stand. */
export const secretPatterns: readonly SecretPattern[] = [
  key("api-key", "(?:sk|rk|pk)[-_][A-Za-z0-9_-]{16,250}", "sk-", "sk_", "rk_", "rk-", "pk_", "pk-"),
  key("github-token", "(?:gh[pousr]_[A-Za-z0-9]{16,255}|github_pat_[A-Za-z0-9_]{16,255})", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
  key("gitlab-token", "gl(?:pat|ptt|dt|rt|cbt|soat)-[A-Za-z0-9_.-]{16,255}", "glpat-", "glptt-", "gldt-", "glrt-", "glcbt-", "glsoat-"),
  key("slack-token", "(?:xox[abeoprs]-|xapp-)[A-Za-z0-9-]{10,250}", "xox", "xapp-"),
  key("aws-key-id", "(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}(?![0-9A-Z])", "AKIA", "ASIA", "AROA", "AIDA"),
  key("google-key", "(?:AIza[0-9A-Za-z_-]{35}|ya29\\.[0-9A-Za-z_-]{20,500}|GOCSPX-[0-9A-Za-z_-]{20,60})", "AIza", "ya29.", "GOCSPX-"),
  key("provider-key", "(?:gsk_|hf_|xai-|pplx-|r8_|npm_|dop_v1_|pypi-|nvapi-|tvly-|fw_|csk-|lin_api_|secret_|SG\\.|dapi|shpat_|figd_|PMAK-|key-)[A-Za-z0-9_.-]{20,250}", "gsk_", "hf_", "xai-", "pplx-", "r8_", "npm_", "dop_v1_", "pypi-", "nvapi-", "tvly-", "fw_", "csk-", "lin_api_", "secret_", "SG.", "dapi", "shpat_", "figd_", "PMAK-", "key-"),
  key("jwt", "eyJ[A-Za-z0-9_-]{8,4000}\\.[A-Za-z0-9_-]{4,8000}(?:\\.[A-Za-z0-9_-]{0,2000})?", "eyJ"),
  { name: "url-password", pattern: /(?<keep>[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/[^\s:@/"'<>]{0,200}:)[^\s@/"'<>]{1,300}(?=@)/g, hints: ["://"] },
  { name: "authorization", pattern: /(?<keep>\b(?:bearer|basic|token)\s{1,4})(?=[A-Za-z0-9._~+/=-]{0,300}\d)[A-Za-z0-9._~+/=-]{12,4000}/gi, hints: ["earer", "EARER", "asic", "ASIC", "oken", "OKEN"] },
  { name: "cookie", pattern: /(?<keep>\b(?:set-)?cookie["']?\s{0,4}[:=]\s{0,4}["']?)[^\r\n"']{4,8000}/gi, hints: ["ookie", "OOKIE"] },
  {
    name: "password",
    pattern: /(?<keep>(?:passw(?:or)?d|pwd|secret|token|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|client[_-]?secret|credential)["'\\]{0,3}\s{0,3}(?:=>|[:=])\s{0,3}["'\\]{0,3})(?=[^\s"'\\&,;)}\]]{0,200}[\d!#%^*])[^\s"'\\&,;)}\]]{6,300}/gi,
    hints: ["assw", "ASSW", "pwd", "PWD", "ecret", "ECRET", "oken", "OKEN", "key", "Key", "KEY", "redential", "REDENTIAL"],
  },
];

/** One look at a text: whether any hint is there. Most texts end here. */
export const anyHint = /sk[-_]|[rp]k[-_]|gh[pousr]_|github_pat_|gl(?:pat|ptt|dt|rt|cbt|soat)-|xox|xapp-|A(?:KIA|SIA|ROA|IDA|Iza)|ya29\.|GOCSPX-|gsk_|hf_|xai-|pplx-|r8_|npm_|dop_v1_|pypi-|nvapi-|tvly-|fw_|csk-|lin_api_|SG\.|dapi|shpat_|figd_|PMAK-|eyJ|:\/\/|[Bb](?:earer|asic)|BEARER|BASIC|[Cc]ookie|COOKIE|[Pp]assw|PASSW|[Pp]wd|PWD|[Ss]ecret|SECRET|[Tt]oken|TOKEN|[Kk]ey|KEY|[Cc]redential|CREDENTIAL|-----BEGIN/;

/** Members whose text is a secret whatever it looks like. */
export const secretMember = /^(?:(?:proxy[-_]?)?authorization|(?:set[-_]?)?cookie|x[-_]api[-_]key|api[-_]?key|passw(?:or)?d|passphrase|secret|client[-_]?secret|(?:access|refresh|id|auth|session|bearer|api)[-_]?token|token|private[-_]?key|secret[-_]?(?:access[-_]?)?key|access[-_]?key|credentials?|connection[-_]?string)$/i;

const BEGIN = "-----BEGIN";
const END = "-----END";

/** Takes out private keys in PEM form; one whose end was cut off goes to the end of the text. */
export function redactPem(text: string): string {
  let result = "";
  let at = 0;
  for (let begin = text.indexOf(BEGIN); begin >= 0; begin = text.indexOf(BEGIN, at)) {
    const label = text.slice(begin + BEGIN.length, begin + 80);
    const isKey = /^[A-Z0-9 %+]{0,50}PRIVATE(?: |%20|\+)KEY/.test(label);
    result += text.slice(at, begin);
    if (!isKey) {
      result += BEGIN;
      at = begin + BEGIN.length;
      continue;
    }
    const end = text.indexOf(END, begin);
    const close = end < 0 ? -1 : text.indexOf("-----", end + END.length);
    result += "[redacted:private-key]";
    at = close < 0 ? text.length : close + 5;
  }
  return result + text.slice(at);
}
