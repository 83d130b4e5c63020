import type { TestReader } from "./test-reader.ts";

/**
 * A runner nobody knows: numbers before "passed" and "failed", or a line that says so. Words inside a test's name do not
 * count, so only the ends of lines and whole verdicts are looked at.
 */
export const plainWords: TestReader = {
  runner: "unknown",
  read: (text) => {
    const last = (pattern: RegExp): number | undefined => {
      const found = [...text.matchAll(pattern)].at(-1)?.[1];
      return found === undefined ? undefined : Number(found);
    };
    const passed = last(/\b(\d+) (?:tests? |specs? |checks? |assertions? )?(?:passed|passing|succeeded|ok)\b/gi);
    const failed = last(/\b(\d+) (?:tests? |specs? |checks? |assertions? )?(?:failed|failing|failures?|errors?)\b/gi);
    if (passed !== undefined || failed !== undefined) return { ...(passed !== undefined && { passed }), failed: failed ?? 0, none: (passed ?? 0) === 0 && (failed ?? 0) === 0 };
    if (/^(?:FAILED|FAILURE|FAIL|ERROR)(?:\b|:)|^(?:some )?tests? failed\b|^Traceback \(most recent call last\):/im.test(text)) return { broken: true };
    if (/^(?:all tests passed|PASSED|PASS|tests? passed|OK)[.!]?\s*$/im.test(text)) return { passed: 1, failed: 0 };
    return /\b(?:no tests (?:found|ran|to run|were run)|0 tests)\b/i.test(text) ? { none: true } : undefined;
  },
};
