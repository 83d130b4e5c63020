import { countBefore, namesOf, type TestReader } from "./test-reader.ts";

/** Vitest: `Tests  1 failed | 2 passed (3)`. */
export const vitest: TestReader = {
  runner: "vitest",
  marks: ["No test files found", "Tests ", "Test Files "],
  read: (text) => {
    if (/^No test files found/m.test(text)) return { none: true };
    const tests = /^\s*Tests\s+(no tests|.+ \(\d+\))\s*$/m.exec(text)?.[1];
    const files = /^\s*Test Files\s+(.+ \(\d+\))\s*$/m.exec(text)?.[1] ?? "";
    const errors = /^\s*Errors\s+(\d+) errors?$/m.test(text);
    if (tests === undefined && files === "") return undefined;
    const summary = tests ?? "";
    const passed = countBefore(summary, "passed");
    const failed = countBefore(summary, "failed");
    const broken = errors || countBefore(files, "failed") > 0;
    return {
      passed,
      failed,
      skipped: countBefore(summary, "skipped|todo"),
      broken,
      none: passed === 0 && failed === 0 && !broken,
      ...namesOf(text, /^\s*(?:FAIL|×)\s+(.+?)(?: \d+ms)?$/gm),
    };
  },
};
