import { namesOf, numberAt, type TestReader } from "./test-reader.ts";

/** `node --test`, and any TAP output: `# pass 2` or `ℹ pass 2`. */
export const nodeTest: TestReader = {
  runner: "node",
  marks: ["# pass", "ℹ pass", "# fail", "ℹ fail", "1.."],
  read: (text) => {
    const passed = numberAt(text, /^(?:#|ℹ) pass\s+(\d+)$/m);
    const failed = numberAt(text, /^(?:#|ℹ) fail\s+(\d+)$/m);
    const failing = namesOf(text, /^\s*(?:✖ (?!failing tests:)(.+?) \([\d.]+ms\)|not ok \d+ -? ?(?!.*# TODO)(.+))$/gm);
    if (passed === undefined && failed === undefined) return readPlan(text);
    const tests = numberAt(text, /^(?:#|ℹ) tests\s+(\d+)$/m) ?? (passed ?? 0) + (failed ?? 0);
    const cancelled = numberAt(text, /^(?:#|ℹ) cancelled\s+(\d+)$/m) ?? 0;
    return {
      ...(passed !== undefined && { passed }),
      failed: (failed ?? 0) + cancelled,
      skipped: numberAt(text, /^(?:#|ℹ) skipped\s+(\d+)$/m) ?? numberAt(text, /^# skip\s+(\d+)$/m) ?? 0,
      none: tests === 0,
      ...failing,
    };
  },
};

/** TAP without a summary: a plan `1..3` and its lines. */
function readPlan(text: string): ReturnType<TestReader["read"]> {
  const plan = numberAt(text, /^1\.\.(\d+)\s*(?:#.*)?$/m);
  if (plan === undefined || !/^TAP version|^(?:not )?ok \d+/m.test(text)) return undefined;
  const failed = [...text.matchAll(/^not ok \d+(?!.*# (?:TODO|SKIP)).*$/gim)].length;
  const passed = [...text.matchAll(/^ok \d+(?!.*# SKIP).*$/gim)].length;
  return { passed, failed, none: plan === 0, broken: passed + failed < plan && !/# SKIP/i.test(text), ...namesOf(text, /^not ok \d+ -? ?(.+)$/gm) };
}
