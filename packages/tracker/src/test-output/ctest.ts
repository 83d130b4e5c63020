import { namesOf, type TestReader } from "./test-reader.ts";

/** CTest: `50% tests passed, 1 tests failed out of 2`. */
export const ctest: TestReader = {
  runner: "ctest",
  marks: ["tests passed, ", "No tests were found!!!", "tests FAILED:", "running CTest"],
  read: (text) => {
    if (/^No tests were found!!!/m.test(text)) return { none: true };
    const summary = /^\d+% tests passed, (\d+) tests? failed out of (\d+)/m.exec(text);
    const failing = namesOf(text, /^\s+\d+ - (\S+) \((?:Failed|Timeout|Not Run|SEGFAULT|Exit code .*)\)/gm);
    if (summary === null) return /^The following tests FAILED:|^Errors while running CTest/m.test(text) ? { broken: true, ...failing } : undefined;
    const [failed = 0, all = 0] = summary.slice(1).map(Number);
    return { passed: all - failed, failed, none: all === 0, ...failing };
  },
};
