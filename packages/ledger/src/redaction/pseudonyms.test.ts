import { isScratchFile, isTestFile, kindOfFile } from "@phasekit/core/account";
import { describe, expect, it } from "vitest";
import { createPseudonyms } from "./pseudonyms.ts";

describe("createPseudonyms", () => {
  const { path, identity } = createPseudonyms();

  it.each([
    "src/payroll/salaries.ts",
    "src/payroll/salaries.test.ts",
    "packages/payroll/test/fixtures/salaries.json",
    "docs/payroll/guide.md",
    "README.md",
    "payroll/package.json",
    ".github/workflows/payroll.yml",
    "/tmp/payroll_repro.py",
    "/home/anna/payroll/tests/test_salaries.py",
    "app/src/test/java/PayrollTest.java",
    "node_modules/payroll/index.js",
  ])("hides the names in %s and keeps what kind of file it is", (file) => {
    const hidden = path(file);
    expect(hidden).not.toMatch(/payroll|salar|anna|workflows/i);
    expect(kindOfFile(hidden)).toBe(kindOfFile(file));
    expect(isTestFile(hidden)).toBe(isTestFile(file));
    expect(isScratchFile(hidden, { created: true })).toBe(isScratchFile(file, { created: true }));
  });

  it("keeps a file in its folder, and equal names equal", () => {
    expect(path("src/payroll/tax.ts").startsWith(`${path("src/payroll")}/`)).toBe(true);
    expect(path("src/payroll/tax.ts")).toBe(path("src/payroll/tax.ts"));
    expect(identity("one")).not.toBe(identity("other"));
  });

  it("gives other names with a salt", () => {
    const salted = createPseudonyms("pepper");
    expect(salted.path("src/payroll.ts")).not.toBe(path("src/payroll.ts"));
    expect(salted.identity("one")).not.toBe(identity("one"));
  });
});
