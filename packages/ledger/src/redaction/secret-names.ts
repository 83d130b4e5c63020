/**
 * The value that the name of a setting, a variable, a member or a flag announces. `password` and `secret`: a secret
 * unless it reads as code or prose. `weak`: a secret only if it looks like chance. `auth`: base64 of a name and a
 * password. `phrase`: a row of words.
 */
export type NameKind = "password" | "secret" | "weak" | "auth" | "phrase";

/** The words that such names end with. */
export const secretWords: readonly string[] = (
  "pass password passwd passphrase passcode pwd pw psk secret token key credential credentials auth mnemonic phrase " +
  "sig signature pat"
).split(" ");
/** The words that may follow; so may one or two digits. */
export const nameEnds: readonly string[] =
  "base data prod production live test dev staging old new value b64 base64 main".split(" ");

/** The end of such a name, as a pattern. */
export const SECRET_NAME = String.raw`(?:${secretWords.join("|")})(?:[_.-]?(?:${nameEnds.join("|")}|\d{1,2}))?`;

const ENDING = new RegExp(String.raw`^(?:${nameEnds.join("|")}|\d{1,2})$`);

const PASSWORD = /(?:passw(?:or)?d|passphrase|passcode|pwd)$/;

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Words before `key` that make it a secret one. */
const KEY_WORDS = wordSet(
  "api secret private access account encryption encrypt decrypt signing sign master shared storage auth service " +
    "client session hmac aes jwt license subscription app application deploy admin root crypt cipher cookie webhook " +
    "ssh gpg pgp role anon wallet",
);
/** Tokens of texts and of pages. */
const COUNTED = wordSet(
  "total max min num number count page next prev previous continuation per cancellation cancel pad eos bos unk sep " +
    "mask unexpected syntax input output prompt completion cached start end stop current first last",
);
/** Keys of tables, maps and caches, and keys that are public. */
const PLAIN_KEYS = wordSet(
  "public primary foreign sort partition cache index map row column unique composite object hash lookup i18n",
);
const PLAIN_PASSES = wordSet(
  "by com first second single multi render test tests all did will must sur under tres one two build",
);

/** @returns `undefined` for a name that says nothing */
export function judgeName(name: string): NameKind | undefined {
  if (name === "PWD" || name === "OLDPWD") return undefined;
  const words = wordsOf(name);
  while (words.length > 1 && ENDING.test(words.at(-1) ?? "")) words.pop();
  const last = words.at(-1) ?? "";
  const before = words.at(-2) ?? "";
  if (PASSWORD.test(last) || last === "psk" || last === "pw") return "password";
  if (last === "pass" || last === "storepass" || last === "keypass")
    return last !== "pass" || (before !== "" && !PLAIN_PASSES.has(before)) ? "password" : undefined;
  if (last.endsWith("secret")) return "secret";
  if (last.endsWith("token")) return COUNTED.has(before) ? undefined : "secret";
  if (last === "key") return judgeKey(name, before);
  if (/(?:api|secret|private|access|account|encryption|signing|master)key$/.test(last)) return "secret";
  if (last === "credential" || last === "credentials") return "secret";
  if (last === "mnemonic" || (last === "phrase" && /^(?:seed|recovery|secret|backup|pass|wallet)$/.test(before)))
    return "phrase";
  if (last === "auth") return "auth";
  if (last === "sig" || last === "signature" || (last === "pat" && /^[A-Z0-9_]+$/.test(name))) return "weak";
  return undefined;
}

function judgeKey(name: string, before: string): NameKind | undefined {
  if (KEY_WORDS.has(before)) return "secret";
  if (PLAIN_KEYS.has(before)) return undefined;
  return before !== "" && /^[A-Z0-9_]+$/.test(name) ? "weak" : undefined;
}

/** `AWS_SECRET_KEY`, `secretKey` and `secret-key` have the same words. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}
