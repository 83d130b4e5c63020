import { redactTokens } from "./redact-tokens.ts";
import { redactAssignments } from "./redact-assignments.ts";
import { hasFlag, redactCommands, redactCookieFlags, redactFlags } from "./redact-flags.ts";
import { markedSecrets, randomSecrets, redactPem, replaceSecret, type SecretPattern } from "./secret-patterns.ts";
import { findTokenRuns } from "./token-runs.ts";

const MAX_ROUNDS = 6;

/** Replaces the secrets in a text. A replacement may bare the beginning of another secret, so it repeats. */
export function redactText(text: string, patterns: readonly SecretPattern[] = []): string {
  let before = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const result = redactOnce(before, patterns);
    if (result === before) return result;
    before = result;
  }
  return "[unredactable:unstable]";
}

function redactOnce(text: string, patterns: readonly SecretPattern[]): string {
  const { starts, hasRandom } = findTokenRuns(text);
  let result = starts.length === 0 ? text : redactTokens(text, starts);
  if (hasRandom) for (const known of randomSecrets) result = replaceSecret(result, known);
  result = redactMarked(result);
  for (const own of patterns) result = replaceSecret(result, own);
  return result;
}

function redactMarked(text: string): string {
  let result = redactPem(text);
  for (const known of markedSecrets) result = replaceSecret(result, known);
  result = redactAssignments(result);
  return hasFlag(result) ? redactCookieFlags(redactCommands(redactFlags(result))) : result;
}
