import { namesOf, type TestReader } from "./test-reader.ts";

/** Maven Surefire: `Tests run: 3, Failures: 1, Errors: 0, Skipped: 0`; the last one without a class name is the sum. */
export const maven: TestReader = {
  runner: "maven",
  marks: ["Tests run: ", "No tests to run", "no tests to run", "BUILD FAILURE"],
  read: (text) => {
    const lines = [...text.matchAll(/Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)(.*)$/gm)];
    const failedBuild = /\bBUILD FAILURE\b/.test(text);
    if (lines.length === 0) {
      if (/No tests to run\.|There are no tests to run/.test(text)) return { none: true };
      return failedBuild ? { broken: true } : undefined;
    }
    const totals = lines.filter(([, , , , , rest = ""]) => !/Time elapsed|in \S+$/.test(rest));
    const used = totals.length > 0 ? totals : lines;
    const sum = (group: number): number => used.reduce((total, line) => total + Number(line[group]), 0);
    const failed = sum(2) + sum(3);
    const ran = sum(1);
    return {
      passed: Math.max(0, ran - failed - sum(4)),
      failed,
      skipped: sum(4),
      broken: failedBuild,
      none: !failedBuild && ran - sum(4) === 0,
      ...namesOf(text, /^\[ERROR\] {3,}(\S+(?:\.|:)\S+)/gm),
    };
  },
};
