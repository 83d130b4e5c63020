import type { TestCounts } from "./runner.ts";
import { anyOf } from "../patterns.ts";

const UNIT = "(?:tests? |specs? |checks? |assertions? |cases? )?";
const PASSED = new RegExp(`\\b(\\d+) ${UNIT}(?:passed|passing|succeeded|successful|ok)\\b`, "gi");
const FAILED = new RegExp(`\\b(\\d+) ${UNIT}(?:failed|failing|failures?|errors?|exceptions?)\\b`, "gi");
const RED = anyOf(
  "im",
  /^(?:FAILED|FAILURE|FAIL|ERROR|BUILD FAILED)\b(?!:?\s*(?:0\b|\(?none\b))/,
  /^[ \t]*[✕✗✖✘×❌] /,
  /^(?:some )?tests? failed\b/,
  /^Traceback \(most recent call last\):/,
  /\b(?:exit(?:ed)?(?: with)?(?: code| status)?|returned non-zero exit status):? [1-9]\d*\b/,
);
const GREEN = anyOf(
  "im",
  /^(?:all (?:\d+ )?tests (?:have )?passed|PASSED|PASS|tests? passed|OK)[.!]?(?: *\([^)\n]*\))?[ \t]*$/,
  /\b0 failing tests?\b/,
);
const NONE = /\b(?:no tests (?:found|ran|to run|were run)|0 tests)\b|^usage: |unrecognized (?:arguments|option)/im;

/**
 * Reads an unknown runner: numbers before "passed" and "failed", or a line that says so. Words inside a test's name do
 * not count, so only the ends of lines and whole verdicts are looked at.
 */
export function readPlainWords(text: string): TestCounts | undefined {
  const passed = numbers(text, PASSED).at(-1);
  const failures = numbers(text, FAILED);
  const failed = failures.at(-1);
  const counts = { ...(passed !== undefined && { passed }), failed: failed ?? 0 };
  if (counts.failed > 0) return counts;
  // Failures before the last number: of another run, or of the same one.
  if (failures.some((count) => count > 0)) return { ...counts, partial: true };
  if (passed === undefined) return wordsOf(text) ?? (failed === undefined ? undefined : { failed, partial: true });
  return passed === 0 ? { ...counts, none: true } : counts;
}

function wordsOf(text: string): TestCounts | undefined {
  return RED.test(text)
    ? { broken: true }
    : GREEN.test(text)
      ? { all: true }
      : NONE.test(text)
        ? { none: true }
        : undefined;
}

function numbers(text: string, pattern: RegExp): readonly number[] {
  return [...text.matchAll(pattern)].map(([, number]) => Number(number));
}
