import { redactTokens } from "./redact-tokens.ts";
import { redactAssignments } from "./redact-assignments.ts";
import { findEncoded } from "./redact-encoded.ts";
import { redactFlags } from "./redact-flags.ts";
import { findNamed } from "./redact-named.ts";
import { hasPassword, redactPasswords } from "./redact-passwords.ts";
import { redactTables } from "./redact-tables.ts";
import {
  markedSecrets,
  netrcPassword,
  randomSecrets,
  redactPem,
  replaceSecret,
  type SecretPattern,
} from "./secret-patterns.ts";
import { replaceSpans, type Span } from "./text-spans.ts";
import { findTokenRuns, type TokenRuns } from "./token-runs.ts";

const MAX_ROUNDS = 6;
/** How often a text may be encoded: a token in base64 in an address. */
const MAX_DECODED = 3;
/** Shorter texts hold a secret only behind a sign. */
const SHORTEST_TOKEN = 16;
const SIGN = /[\s:=]/;

/**
 * Replaces the secrets in a text. A text with colors is also read without them; if that finds more, the colors are
 * dropped. `depth` says how often the text was decoded before.
 */
export function redactText(text: string, patterns: readonly SecretPattern[] = [], depth = 0): string {
  if (text.length < SHORTEST_TOKEN && patterns.length === 0 && !SIGN.test(text)) return text;
  const result = untilStable(text, patterns, depth);
  // One character is found faster than several.
  if (result.indexOf("[") < 0 || (!result.includes("\u001b[") && !result.includes("\\u001b["))) return result;
  const plain = result.replace(COLOR, "");
  const clean = untilStable(plain, patterns, depth);
  return clean === plain ? result : clean;
}

/** Plain, and escaped in JSON. */
// eslint-disable-next-line no-control-regex -- escape sequences of terminals begin with it
const COLOR = /(?:\u001b|\\u001b)\[[0-9;:?]{0,40}[A-Za-z]/g;

/** A replacement may bare the beginning of another secret, so it repeats. */
function untilStable(text: string, patterns: readonly SecretPattern[], depth: number): string {
  let before = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const result = redactOnce(before, patterns, depth);
    if (result === before) return result;
    before = result;
  }
  return "[unredactable:unstable]";
}

function redactOnce(text: string, patterns: readonly SecretPattern[], depth: number): string {
  let runs = findTokenRuns(text);
  let result = text;
  if (runs?.starts !== undefined) {
    result = redactTokens(text, runs.starts);
    if (result !== text) runs = findTokenRuns(result);
  }
  if (runs !== undefined) {
    if ((runs.encoded ?? runs.percent ?? runs.named) !== undefined)
      result = redactRuns(result, runs, (decoded) =>
        depth < MAX_DECODED ? redactText(decoded, patterns, depth + 1) : decoded,
      );
    if (runs.hasRandom) for (const known of randomSecrets) result = replaceSecret(result, known);
  }
  result = redactMarked(result);
  for (const own of patterns) result = replaceSecret(result, own);
  return result;
}

/** Takes out runs that are encoded texts with a secret, and runs behind the name of one. */
function redactRuns(text: string, { encoded, percent, named }: TokenRuns, redact: (text: string) => string): string {
  const spans: readonly Span[] = [
    ...findEncoded(text, { encoded, percent, redact }),
    ...(named === undefined ? [] : findNamed(text, named)),
  ];
  if (spans.length === 0) return text;
  let end = 0;
  return replaceSpans(
    text,
    spans
      .toSorted((a, b) => a.from - b.from || b.to - a.to)
      .filter(({ from, to }) => {
        if (from < end) return false;
        end = to;
        return true;
      }),
  );
}

function redactMarked(text: string): string {
  let result = redactPem(text);
  // All of them have one of these signs.
  if (result.indexOf(":") >= 0 || result.indexOf("<") >= 0)
    for (const known of markedSecrets) result = replaceSecret(result, known);
  result = redactAssignments(result);
  if (hasPassword(result)) result = redactTables(redactPasswords(replaceSecret(result, netrcPassword)));
  return redactFlags(result);
}
