import { namesOf, numberAt, type TestReader } from "./test-reader.ts";

/** `dotnet test`: `Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3`, and the longer form of `vstest`. */
export const dotnet: TestReader = {
  runner: "dotnet",
  marks: [" - Failed:", "Total tests:", "otal:", "No test ", "Build FAILED", "error "],
  read: (text) => {
    const failing = namesOf(text, /^\s+(?:Failed|failed) (\S+) \[?\(?[<\d]/gm);
    const lines = [...text.matchAll(/^(?:Passed|Failed|Skipped)!\s+- Failed:\s+(\d+), Passed:\s+(\d+), Skipped:\s+(\d+), Total:\s+(\d+)/gm)];
    if (lines.length > 0) {
      const sum = (group: number): number => lines.reduce((total, line) => total + Number(line[group]), 0);
      return { passed: sum(2), failed: sum(1), skipped: sum(3), none: sum(1) + sum(2) === 0, ...failing };
    }
    const total = numberAt(text, /^(?:Total tests:|\s+total:)\s+(\d+)/m);
    if (total !== undefined) {
      const failed = numberAt(text, /^\s+[Ff]ailed:\s+(\d+)/m) ?? 0;
      const passed = numberAt(text, /^\s+(?:Passed|succeeded):\s+(\d+)/m) ?? 0;
      return { passed, failed, skipped: numberAt(text, /^\s+[Ss]kipped:\s+(\d+)/m) ?? 0, none: total === 0, broken: /^Test Run (?:Failed|Aborted)\./m.test(text), ...failing };
    }
    if (/No test is available in|No test matches the given testcase filter/.test(text)) return { none: true };
    return /^Build FAILED\.|: error [A-Z]{2}\d{4}:/m.test(text) ? { broken: true } : undefined;
  },
};
