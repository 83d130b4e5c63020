import { namesOf, numberAt, type TestReader } from "./test-reader.ts";

/** AVA: `2 tests passed`, `1 test failed`. */
export const ava: TestReader = {
  runner: "ava",
  marks: [" passed", " failed", "ncaught exception", "nhandled rejection", "✘", "any files to test", "No tests found in "],
  read: (text) => {
    const passed = numberAt(text, /^\s*(\d+) tests? passed$/m);
    const failed = numberAt(text, /^\s*(\d+) tests? failed$/m);
    const broken = /^\s*\d+ (?:uncaught exceptions?|unhandled rejections?)$|✘ .*exited with a non-zero exit code|^\s*Uncaught exception in /m.test(text);
    const none = /Couldn’t find any files to test|Couldn't find any files to test|No tests found in /.test(text);
    if (passed === undefined && failed === undefined) return broken ? { broken } : none ? { none } : undefined;
    // With failures AVA counts only those; the passing ones have a line each.
    return { passed: passed ?? [...text.matchAll(/^\s*✔ /gm)].length, failed: failed ?? 0, broken, skipped: numberAt(text, /^\s*(\d+) tests? skipped$/m) ?? 0, ...namesOf(text, /^\s*✘ \[fail\]: (.+?)(?: \(.*\))?$/gm) };
  },
};
