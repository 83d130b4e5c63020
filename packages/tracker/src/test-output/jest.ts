import { countBefore, namesOf, type TestReader } from "./test-reader.ts";

/** Jest: `Tests:       1 failed, 2 passed, 3 total`. */
export const jest: TestReader = {
  runner: "jest",
  marks: ["Tests:", "No tests found", "●"],
  read: (text) => {
    const failing = namesOf(text, /^ {2}● (?!Console|Test suite failed)(.+)$/gm);
    const tests = /^Tests:\s+(.+ total)$/m.exec(text)?.[1];
    const suites = /^Test Suites:\s+(.+ total)$/m.exec(text)?.[1] ?? "";
    if (tests === undefined) {
      if (/^No tests found, exiting/m.test(text)) return { none: true };
      return /^ {2}● Test suite failed to run/m.test(text) || failing.failing !== undefined ? { broken: true, ...failing } : undefined;
    }
    const passed = countBefore(tests, "passed");
    const failed = countBefore(tests, "failed");
    const broken = countBefore(suites, "failed") > 0;
    if (passed === 0 && failed === 0 && !broken) return { none: true, passed, failed, skipped: countBefore(tests, "skipped|todo") };
    return { passed, failed, skipped: countBefore(tests, "skipped|todo"), broken, ...failing };
  },
};
