import { namesOf, type TestReader } from "./test-reader.ts";

/** `go test`: one line for each package, `--- FAIL:` for each failing test. */
export const goTest: TestReader = {
  runner: "go",
  marks: ["ok ", "ok\t", "FAIL", "--- PASS: ", "[no test files]"],
  read: (text) => {
    const count = (pattern: RegExp): number => [...text.matchAll(pattern)].length;
    const good = count(/^ok\s+\S+\s+(?!.*\[no tests to run\])/gm);
    const empty = count(/^\?\s+\S+\s+\[no test files\]$|^ok\s+\S+\s+.*\[no tests to run\]$/gm);
    const bad = count(/^FAIL\s+\S+\s+(?:[\d.]+s|\[(?:build|setup) failed\]|\(cached\))$/gm);
    const failedTests = count(/^\s*--- FAIL: /gm);
    const passedTests = count(/^\s*--- PASS: /gm);
    const panicked = /^panic: |^exit status 2$/m.test(text) && (bad > 0 || failedTests > 0);
    if (good + empty + bad + failedTests + passedTests === 0) return /^FAIL$/m.test(text) ? { broken: true } : undefined;
    if (bad > 0 || failedTests > 0 || panicked) {
      return { ...(passedTests > 0 && { passed: passedTests }), ...(failedTests > 0 && { failed: failedTests }), broken: true, ...namesOf(text, /^\s*--- FAIL: (\S+)/gm) };
    }
    if (good === 0 && passedTests > 0) return /^(?:PASS|ok\s)/m.test(text) ? { passed: passedTests, failed: 0 } : { partial: true };
    return good === 0 ? { none: true } : { passed: passedTests > 0 ? passedTests : good, failed: 0 };
  },
};
