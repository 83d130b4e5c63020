import { namesOf, numberAt, type TestReader } from "./test-reader.ts";

/** `bun test`: ` 2 pass`, ` 1 fail`; `deno test`: `ok | 2 passed | 0 failed`. */
export const bunTest: TestReader = {
  runner: "bun",
  marks: [" pass", " fail", " passed", "No tests found", "0 test files", "had no matches in"],
  read: (text) => {
    const deno = /^(?:ok|FAILED) \| (\d+) passed.*? \| (\d+) failed/m.exec(text);
    if (deno !== null) return { passed: Number(deno[1]), failed: Number(deno[2]), none: Number(deno[1]) + Number(deno[2]) === 0, ...namesOf(text, /^(.+) \.\.\. FAILED/gm) };
    const passed = numberAt(text, /^\s*(\d+) pass$/m);
    const failed = numberAt(text, /^\s*(\d+) fail$/m);
    if (passed === undefined && failed === undefined) return /^error: (?:0 test files|No tests found)|had no matches in/m.test(text) ? { none: true } : undefined;
    return { passed: passed ?? 0, failed: (failed ?? 0) + (numberAt(text, /^\s*(\d+) errors?$/m) ?? 0), skipped: numberAt(text, /^\s*(\d+) skip$/m) ?? 0, none: passed === 0 && (failed ?? 0) === 0, ...namesOf(text, /^\s*(?:\(fail\)|✗) (.+?)(?: \[[\d.]+m?s\])?$/gm) };
  },
};
