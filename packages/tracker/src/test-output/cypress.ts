import { namesOf, numberAt, type TestReader } from "./test-reader.ts";

/** Cypress: the box `Tests: 3 / Passing: 2 / Failing: 1` of each spec. */
export const cypress: TestReader = {
  runner: "cypress",
  marks: ["no spec files were found", "│ Tests:", "All specs passed", "✖  "],
  read: (text) => {
    if (/^Can't run because no spec files were found/m.test(text)) return { none: true };
    const sum = (word: string): number => [...text.matchAll(new RegExp(`│ ${word}:\\s+(\\d+)`, "g"))].reduce((total, [, number]) => total + Number(number), 0);
    const boxed = numberAt(text, /│ Tests:\s+(\d+)/) !== undefined;
    const allPassed = /✔ {2}All specs passed!/.test(text);
    const someFailed = /✖ {2}\d+ of \d+ failed/.test(text);
    if (!boxed && !allPassed && !someFailed) return undefined;
    if (!boxed) return allPassed ? { passed: 1 } : { broken: true };
    const passed = sum("Passing");
    const failed = sum("Failing");
    return { passed, failed, skipped: sum("Pending") + sum("Skipped"), none: sum("Tests") === 0 && !someFailed, broken: someFailed, ...namesOf(text, /^\s{2,}\d+\) (.+?):?$/gm) };
  },
};
