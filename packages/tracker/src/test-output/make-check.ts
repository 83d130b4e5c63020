import { namesOf, numberAt, type TestReader } from "./test-reader.ts";

/** `make check`: the totals of Automake, or make's own error line. */
export const makeCheck: TestReader = {
  runner: "make",
  marks: ["# TOTAL:", "make: ", "make["],
  read: (text) => {
    const total = numberAt(text, /^# TOTAL:\s+(\d+)$/m);
    if (total !== undefined) {
      const of = (word: string): number => numberAt(text, new RegExp(`^# ${word}:\\s+(\\d+)$`, "m")) ?? 0;
      return { passed: of("PASS") + of("XPASS"), failed: of("FAIL") + of("ERROR"), skipped: of("SKIP"), none: total === 0, ...namesOf(text, /^(?:FAIL|ERROR): (\S+)/gm) };
    }
    if (/^g?make(?:\[\d+\])?: \*\*\* No rule to make target/m.test(text) || /^g?make: Nothing to be done for/m.test(text)) return { none: true };
    return /^g?make(?:\[\d+\])?: \*\*\* .*(?:Error \d+|Segmentation fault)/m.test(text) ? { broken: true } : undefined;
  },
};
