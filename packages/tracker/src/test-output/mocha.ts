import { namesOf, numberAt, type TestReader } from "./test-reader.ts";

/** Mocha: `2 passing (5ms)`, `1 failing`, `1 pending`. */
export const mocha: TestReader = {
  runner: "mocha",
  marks: [" passing", " failing", "No test files found"],
  read: (text) => {
    const passed = numberAt(text, /^\s*(\d+) passing\b/m);
    const failed = numberAt(text, /^\s*(\d+) failing\b/m);
    if (passed === undefined && failed === undefined) return /^Error: No test files found/m.test(text) ? { none: true } : undefined;
    const skipped = numberAt(text, /^\s*(\d+) pending\b/m) ?? 0;
    return {
      // A summary cut before its first line may show failures only.
      ...(passed !== undefined && { passed }),
      failed: failed ?? 0,
      skipped,
      none: passed === 0 && (failed ?? 0) === 0,
      ...(failed === undefined ? {} : namesOf(text, /^\s{2,}\d+\) (.+?):?$/gm)),
    };
  },
};
