import { namesOf, numberAt, type TestReader } from "./test-reader.ts";

/** Playwright: `  1 failed`, its names, `  2 passed (1.2s)`. */
export const playwright: TestReader = {
  runner: "playwright",
  marks: [" passed (", " failed", "No tests found", "Running "],
  read: (text) => {
    const passed = numberAt(text, /^ {2}(\d+) passed \([\d.]+m?s\)/m);
    const failed = numberAt(text, /^ {2}(\d+) failed$/m);
    if (/^Error: No tests found/m.test(text)) return /^\s*(?:\w*Error): (?!No tests found)/m.test(text) ? { broken: true } : { none: true };
    if (passed === undefined && failed === undefined) return /^Running \d+ tests? using \d+ workers?/m.test(text) && /^ {2}\d+\) /m.test(text) ? { broken: true } : undefined;
    const interrupted = numberAt(text, /^ {2}(\d+) (?:interrupted|did not run)$/m) ?? 0;
    return {
      passed: passed ?? 0,
      failed: (failed ?? 0) + interrupted,
      skipped: numberAt(text, /^ {2}(\d+) skipped$/m) ?? 0,
      ...namesOf(text, /^ {4}((?:\[[^\]]+\] › )?\S+:\d+:\d+ › .+?)\s*─*$/gm),
    };
  },
};
