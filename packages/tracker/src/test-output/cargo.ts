import { namesOf, type TestReader } from "./test-reader.ts";

/** `cargo test`: one `test result:` line for each binary. */
export const cargo: TestReader = {
  runner: "cargo",
  marks: ["test result: ", " ... FAILED", "could not compile", "test failed", "aborting due to"],
  read: (text) => {
    const results = [...text.matchAll(/^test result: (ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored;/gm)];
    const failing = namesOf(text, /^test (\S+)(?: - .*)? \.\.\. FAILED$/gm);
    const broken = /^error(?:\[E\d+\])?: |^error: could not compile/m.test(text) && /could not compile|^error: test failed|aborting due to/m.test(text);
    if (results.length === 0) return broken || failing.failing !== undefined ? { broken: true, ...failing } : undefined;
    const sum = (group: number): number => results.reduce((total, result) => total + Number(result[group]), 0);
    const passed = sum(2);
    const failed = sum(3);
    return { passed, failed, skipped: sum(4), broken: broken || results.some(([, word]) => word === "FAILED"), none: passed === 0 && failed === 0 && !broken, ...failing };
  },
};
