import { expect, it } from "vitest";
import { readFindings } from "./read-findings.ts";

it.each([
  ["", "pass"],
  ["(Bash completed with no output)", "pass"],
  ["> api@0.1.0 build /repo/api\n> nest build\n", "pass"],
  ["0 issues.", "pass"],
  ["All checks passed!", "pass"],
  ["Success: no issues found in 12 source files", "pass"],
  ["All matched files use Prettier code style!", "pass"],
  ["✓ built in 3.21s", "pass"],
  ["    Finished `dev` profile [unoptimized] target(s) in 2.1s", "pass"],
  ["✖ 2 problems (0 errors, 2 warnings)", "pass"],
  ["[lint:go] a/b.go:235:6: func x is unused (unused)\n[lint:go] 1 issues:\n[lint:go] ERROR task failed", "fail"],
  ["src/a.ts(1,2): error TS2322: Type", "fail"],
  ["Found 3 errors in 1 file (checked 12 source files)", "fail"],
  ["src/main.rs:3:5: error: expected", "fail"],
  ["error[E0308]: mismatched types\nerror: could not compile `x`", "fail"],
  ["[warn] Code style issues found in 2 files. Run Prettier with --write to fix.", "fail"],
  ["✔ 0 errors, 0 warnings and 0 suggestions in 0 files.", "unknown"],
  ["markdownlint-cli2 v0.23.0\nLinting: 0 file(s)\nSummary: 0 error(s)", "unknown"],
  ["some words", "unknown"],
])("%j is %s", (output, verdict) => {
  expect(readFindings(output, { silent: true })).toBe(verdict);
});

it("without its whole output a check that prints nothing is unknown", () => {
  expect(readFindings("", { silent: false })).toBe("unknown");
});
