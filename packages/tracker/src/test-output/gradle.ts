import { namesOf, type TestReader } from "./test-reader.ts";

/** Gradle: `5 tests completed, 2 failed`, `BUILD SUCCESSFUL`; without failures it names no numbers. */
export const gradle: TestReader = {
  runner: "gradle",
  marks: [" tests completed", " test completed", "BUILD ", " FAILED"],
  read: (text) => {
    const summary = /^(\d+) tests? completed(?:, (\d+) failed)?(?:, (\d+) skipped)?/m.exec(text);
    const good = /^BUILD SUCCESSFUL in /m.test(text);
    const bad = /^BUILD FAILED in /m.test(text);
    const failing = namesOf(text, /^(\S.* > \S.*?) FAILED$/gm);
    if (summary === null && !good && !bad) return failing.failing === undefined ? undefined : { broken: true, ...failing };
    const ran = Number(summary?.[1] ?? 0);
    const failed = Number(summary?.[2] ?? 0);
    const skipped = Number(summary?.[3] ?? 0);
    if (bad || failed > 0) return { ...(summary !== null && { passed: ran - failed - skipped, failed, skipped }), broken: true, ...failing };
    if (summary !== null) return { passed: ran - skipped, failed: 0, skipped };
    const tested = /^> Task \S*[tT]est(?: UP-TO-DATE| FROM-CACHE)?$/m.test(text) || /^\S.* > \S.* PASSED$/m.test(text);
    const empty = /^> Task \S*[tT]est NO-SOURCE$/m.test(text);
    return tested ? { failed: 0, passed: Math.max(1, [...text.matchAll(/^\S.* > \S.* PASSED$/gm)].length) } : empty ? { none: true } : { partial: true };
  },
};
