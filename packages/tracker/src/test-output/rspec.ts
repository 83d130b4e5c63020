import { namesOf, type TestReader } from "./test-reader.ts";

/** RSpec: `3 examples, 1 failure, 1 pending`; Minitest: `3 runs, 3 assertions, 0 failures, 0 errors, 0 skips`. */
export const rspec: TestReader = {
  runner: "rspec",
  marks: [" example", " assertions, "],
  read: (text) => {
    const examples = /^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, (\d+) errors? occurred outside of examples)?/m.exec(text);
    if (examples !== null) {
      const [ran = 0, failed = 0, skipped = 0, outside = 0] = examples.slice(1).map((number: string | undefined) => Number(number ?? 0));
      return { passed: ran - failed - skipped, failed, skipped, broken: outside > 0, none: ran === 0 && outside === 0, ...namesOf(text, /^rspec (\S+.*)$/gm) };
    }
    const runs = /^(\d+) (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors(?:, (\d+) skips)?/m.exec(text);
    if (runs === null) return undefined;
    const [ran = 0, failures = 0, errors = 0, skipped = 0] = runs.slice(1).map((number: string | undefined) => Number(number ?? 0));
    return { passed: ran - failures - errors - skipped, failed: failures + errors, skipped, none: ran === 0, ...namesOf(text, /^\s*\d+\) (?:Failure|Error):\n(\S+)/gm) };
  },
};
