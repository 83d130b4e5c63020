import { countBefore, namesOf, type TestReader } from "./test-reader.ts";

/** cargo-nextest: `Summary [   0.01s] 3 tests run: 2 passed, 1 failed, 0 skipped`. */
export const nextest: TestReader = {
  runner: "nextest",
  marks: ["no tests to run", "Summary ["],
  read: (text) => {
    if (/^error: no tests to run/m.test(text)) return { none: true };
    const summary = /^\s*Summary \[[^\]]*\]\s+(?:\d+\/)?(\d+) tests? run: (.+)$/m.exec(text);
    if (summary === null) return undefined;
    const [, ran, rest = ""] = summary;
    const failed = countBefore(rest, "failed|timed out|exec failed");
    return { passed: countBefore(rest, "passed"), failed, skipped: countBefore(rest, "skipped"), none: Number(ran) === 0, ...namesOf(text, /^\s*(?:FAIL|TIMEOUT|SIGABRT) \[[^\]]*\]\s+(?:\(\s*\d+\/\d+\)\s+)?(.+)$/gm) };
  },
};
