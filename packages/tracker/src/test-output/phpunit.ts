import { namesOf, numberAt, type TestReader } from "./test-reader.ts";

/** PHPUnit: `OK (3 tests, 3 assertions)` or `FAILURES!` with `Tests: 3, Assertions: 3, Failures: 1.`; Pest: `Tests:  1 failed, 2 passed`. */
export const phpunit: TestReader = {
  runner: "phpunit",
  marks: ["No tests ", "OK (", "Tests: ", "Fatal error:", "Tests:  "],
  read: (text) => {
    if (/^No tests (?:executed|found)[!.]/m.test(text)) return { none: true };
    const all = numberAt(text, /^OK \((\d+) tests?, \d+ assertions?\)/m);
    if (all !== undefined) return { passed: all, failed: 0 };
    const pest = /^\s+Tests:\s+((?:\d+ (?:failed|passed|skipped|todo|risky|warning)s?(?:, )?)+)(?: \(\d+ assertions?\))?/m.exec(text)?.[1];
    if (pest !== undefined) return { passed: numberAt(pest, /(\d+) passed/) ?? 0, failed: numberAt(pest, /(\d+) failed/) ?? 0, ...namesOf(text, /^\s+(?:⨯|FAILED)\s+(.+?)\s*$/gm) };
    const summary = /^Tests: (\d+), Assertions: \d+(.*)\.$/m.exec(text);
    if (summary === null) return /^PHP Fatal error:|^Fatal error:/m.test(text) ? { broken: true } : undefined;
    const [, ran = "0", rest = ""] = summary;
    const part = (name: string): number => numberAt(rest, new RegExp(`\\b${name}: (\\d+)`)) ?? 0;
    const failed = part("Failures") + part("Errors");
    const skipped = part("Skipped") + part("Incomplete");
    return { passed: Math.max(0, Number(ran) - failed - skipped), failed, skipped, broken: /^(?:FAILURES|ERRORS)!$/m.test(text), none: failed === 0 && Number(ran) - skipped === 0, ...namesOf(text, /^\d+\) (\S+::\S+)/gm) };
  },
};
