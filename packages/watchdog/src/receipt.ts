import { outputText, unwrapped } from "./result-text.ts";

/** Words that say that something went through, and those around them. */
const DONE = new Set(
  "ok okay done success successful successfully true null status result saved stored written created updated deleted removed added applied edited inserted modified moved uploaded posted submitted sent queued recorded accepted completed clicked typed waited affected the this it file edit change message row rows has have been was were is and".split(
    " ",
  ),
);
const RECEIPT_KEY = /^(?:ok|ts|time\w*|\w*id|rev|revision|version)$/i;
/** How much was changed, and where. */
const CHANGED_KEY = /^(?:updated|created|deleted|inserted|modified|affected|written|added|removed|upserted)(?:[A-Z_]\w*)?$/;
/** What a database says about statements that changed something. */
const STATEMENTS = /^(?:(?:BEGIN|COMMIT|SET|GRANT|REVOKE|DO|ANALYZE|VACUUM|(?:CREATE|ALTER|DROP|TRUNCATE|COMMENT|REFRESH)(?: [A-Z]+){0,3}|INSERT \d+ [1-9]\d*|(?:UPDATE|DELETE|COPY|MERGE) [1-9]\d*)\s*)+$/;
const SHORT = 160;

/** A result that only says that it went through, or nothing at all. */
export function isAcknowledgement(given: unknown): boolean {
  const output = unwrapped(given);
  if (output === undefined || output === null || output === true || output === "") return true;
  if (typeof output === "object") {
    const entries = Object.entries(output);
    return !Array.isArray(output) && entries.length <= 4 && entries.every(isReceiptMember);
  }
  if (typeof output !== "string" || output.length > SHORT) return false;
  if (output === "(no output)" || STATEMENTS.test(output)) return true;
  if (!output.startsWith("{")) return /\S/.test(output) && wordsOf(output).every((word) => DONE.has(word));
  try {
    return isAcknowledgement(JSON.parse(output));
  } catch {
    return false;
  }
}

function isReceiptMember([key, value]: readonly [string, unknown]): boolean {
  if (RECEIPT_KEY.test(key)) return value !== false;
  if (CHANGED_KEY.test(key)) return typeof value === "string" || (typeof value === "number" && value > 0);
  if (typeof value === "string") return isAcknowledgement(value);
  return DONE.has(key.toLowerCase()) && (value === true || typeof value === "number");
}

const NOT_DONE = /\b(?:no|not|nothing|none|fail\w*|errors?|denied|invalid|unable|cannot|could ?n[o']t|already|empty|missing|incorrect|wrong|expired|busy|again)\b/i;
const NEGATIVE = /^#(?:REF|N\/A|NAME|VALUE|DIV\/0)[!?]?|"#(?:REF|N\/A|NAME|VALUE|DIV\/0)|\b(?:un(?:known|available|changed|defined|auth\w+)|false|null|zero|refused|forbidden|rejected|declined|illegal|impossible|unsupported|fault|time[d ]?out|disabled|same|still|please|exited|\d{3} not)\b|(?<![.\d])0(?![.\d])/i;
const CLEAN =
  /\b(?:no|0|zero) (?:\w+ )?(?:errors?|problems?|issues?|warnings?|violations?|offen\w+|vulnerabilities|conflicts)\b|"(?:errors|problems|issues|warnings|violations|failed|failures|flags|busy|conflicts|alerts|missing|overdue)": ?(?:\[\]|0)|"(?:flagged|blocked|failed|spam|infected|malicious)": ?false|\ball (?:\w+ )?(?:passed|good|clean|fine)\b|\bvalid\b/i;

/** A short result that says that something is not as it should be. */
export function saysBad(text: string): boolean {
  // A bare "no" answers a question.
  return text.length <= 2 * SHORT && text !== "false" && !CLEAN.test(text) && (NOT_DONE.test(text) || NEGATIVE.test(text));
}

const NOTHING = /\b(?:no|none|nothing|not (?:yet )?(?:\w+ed|an?|part|found|available|known|set|applicable)|never|zero|unknown|empty|n\/a)\b|(?<![.\d])0(?![.\d])|\[\]|\bnull\b|": ?false/i;
const TROUBLE =
  /\b(?:denied|invalid|unable|expired|busy|again|access|tokens?|wrong|incorrect|fail\w*|fault|error|illegal|locked|sessions?|permissions?|blocked|cannot|could ?n[o']t|refused|forbidden|disabled|unavailable|sign(?:ed)?[ -]?in|log(?:ged)?[ -]?in|login|time[d ]?out|please|quotas?|limits?|unknown (?:tool|function|command|method))\b/i;

/** A short result that says that there is nothing about what was asked, and not that asking went wrong. */
export function saysNothing(text: string): boolean {
  return text.length <= SHORT && NOTHING.test(text) && !TROUBLE.test(text);
}

/** Whether what stands under "error" is none, or says that there is nothing and not that asking went wrong. */
export function isNothing(text: string): boolean {
  return /^(?:none|null|ok|0|false)$/i.test(text) || saysNothing(text) || (/\b(?:no such|does ?n[o']t exist)\b/i.test(text) && !TROUBLE.test(text));
}

const UNDER_WAY = /\b(?:pending|(?:a)?waiting|processing|queued|in[ _-]progress|running|starting|provisioning|initiali[sz]ing|preparing|generating|not (?:yet )?ready|retry[_ -]?after|check back)\b/i;

/** A short result that says that something has begun and is not finished. */
export function saysUnderWay(output: unknown): boolean {
  const text = outputText(output);
  return text.length <= SHORT && UNDER_WAY.test(text);
}

/** A short result that says that all is well, or that something was done. */
export function saysFine(text: string): boolean {
  return text.length <= SHORT && (CLEAN.test(text) || (!saysBad(text) && wordsOf(text).some((word) => word.length > 3 && word.endsWith("d") && DONE.has(word))));
}

/** Whether a call answers as if it had done something: it says so, or says the call back, as in `restarted`. */
export function saysDone(call: string, output: unknown): boolean {
  if (isAcknowledgement(output)) return true;
  const text = outputText(output);
  if (text.length > SHORT || saysBad(text)) return false;
  const own = wordsOf(call.replace(/([a-z])([A-Z])/g, "$1 $2")).filter(isWord).map(beginning);
  const words = wordsOf(text);
  // "Renamed 7 occurrences" begins with what was asked for.
  const [first = ""] = words;
  if (/^\w+ed [1-9]\d* \p{L}/u.test(text) && words.length <= FEW && own.includes(beginning(first))) return true;
  return words.filter((word) => DONE.has(word) || (isWord(word) && own.includes(beginning(word)))).length * 2 > words.length;
}

const FEW = 6;

function isWord(text: string): boolean {
  return text.length >= 3;
}

/** Two words with the same beginning are forms of one: restart and restarted, send and sent. */
function beginning(word: string): string {
  return word.slice(0, 3);
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
