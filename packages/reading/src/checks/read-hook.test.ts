import { expect, it } from "vitest";
import { readHook } from "./read-hook.ts";

const LINT_STAGED = [
  "[STARTED] Running tasks for staged files...",
  "[STARTED] eslint --fix",
  "[COMPLETED] eslint --fix",
  "[COMPLETED] Running tasks for staged files...",
];
const COMMITTED = "[main 1a2b3c4d] x\n 1 file changed, 1 insertion(+)";

it.each([
  ["lint-staged", [...LINT_STAGED, COMMITTED].join("\n"), 0, { passed: true, includes: ["lint"] }],
  ["lint-staged that fails", "[STARTED] eslint --fix\n[FAILED] eslint --fix", 1, { passed: false, includes: ["lint"] }],
  ["pre-commit", `mypy${".".repeat(60)}Passed\n${COMMITTED}`, 0, { passed: true, includes: ["types"] }],
  ["pre-commit that fails", `trim trailing whitespace${".".repeat(40)}Failed`, 1, { passed: false, includes: [] }],
  [
    "lefthook",
    `🥊 lefthook v1.6  hook: pre-push\n┃  test ❯\nsummary: (done in 2.1 seconds)\n✔️ test`,
    0,
    { passed: true, includes: ["test"] },
  ],
  [
    "hooks that pass before git has nothing to commit",
    '$ biome check\nChecked 2 files. No fixes applied.\nOn branch main\nno changes added to commit (use "git add")',
    1,
    { passed: true, includes: ["lint"] },
  ],
  [
    "husky",
    "> app@1.0.0 lint\n> eslint .\n\nhusky - pre-commit script failed (code 1)",
    1,
    { passed: false, includes: ["lint"] },
  ],
])("%s", (...[, output, exitCode, expected]) => {
  expect(readHook(output, exitCode)).toMatchObject(expected);
});

it("tests in a hook are counted", () => {
  const output = ` 12 pass\n 0 fail\nRan 12 tests across 2 files. [1.00s]\n${COMMITTED}`;
  expect(readHook(output, 0)).toEqual({
    passed: true,
    includes: ["test"],
    tests: { runner: "bun", passed: 12, failed: 0 },
  });
});

it.each([
  COMMITTED,
  "[main 1a2b3c4d] Add warnings for failed tests and 3 passing ones\n 1 file changed",
  "To https://example.com/x.git\n   4e480f90..9759b67d  main -> main",
  "On branch main\nnothing to commit, working tree clean",
  "[tool] Pushing session logs to origin...\nremote: found 30 vulnerabilities",
])("%j shows no hook", (output) => {
  expect(readHook(output, 0)).toBeUndefined();
});
