import { namesOf, numberAt, type TestReader } from "./test-reader.ts";

/** unittest, and Django's runner on top of it: `Ran 3 tests in 0.001s`, then `OK` or `FAILED (failures=1)`. */
export const unittest: TestReader = {
  runner: "unittest",
  marks: ["Ran ", "FAILED (", "NO TESTS RAN"],
  read: (text) => {
    const ran = numberAt(text, /^Ran (\d+) tests? in [\d.]+s$/m);
    const failure = /^FAILED \(([^)]*)\)$/m.exec(text)?.[1];
    const ok = /^OK(?: \(([^)]*)\))?$/m.exec(text);
    if (/^NO TESTS RAN/m.test(text)) return { none: true };
    if (ran === undefined && failure === undefined) return undefined;
    const part = (name: string, from = ""): number => numberAt(from, new RegExp(`\\b${name}=(\\d+)`)) ?? 0;
    const failed = part("failures", failure) + part("errors", failure) + part("unexpected successes", failure);
    const skipped = part("skipped", failure ?? ok?.[1]);
    if (ran === 0 && failed === 0) return { none: true };
    const counted = ran === undefined ? {} : { passed: Math.max(0, ran - failed - skipped) };
    if (failure === undefined && ok === null) return { ...counted, partial: true };
    return { ...counted, failed, skipped, broken: failure !== undefined, none: failure === undefined && ran === skipped, ...namesOf(text, /^(?:FAIL|ERROR): (.+)$/gm) };
  },
};
