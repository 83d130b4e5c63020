import { expect, it } from "vitest";
import { saysFailed } from "./read-failure.ts";

it.each<[unknown, boolean]>([
  [{ success: false }, true],
  [{ ok: false }, true],
  [{ exit_code: 1 }, true],
  [{ exitCode: 0, error: "x" }, false],
  [{ error: "quota" }, true],
  [{ error: null }, false],
  [{ error: "" }, false],
  [{ status: "failed" }, true],
  [{ isError: true }, true],
  ['{"success": false}', true],
  ['{"success": tru', false],
  ["Error: File does not exist.", true],
  ["File not found: a.ts", true],
  ["cat: a.ts: No such file or directory", true],
  ["Exit code 1", true],
  ["Exit code 0", false],
  ["exit_code: 1", true],
  ["exit_code: 127", true],
  ["exit_code=255", true],
  ["exit_code: 0", false],
  ["Command: git fetch\nexit_code: 1\nno route to host", true],
  ["stdout:\nhello\nexit_code: 2\n", true],
  ["Process exited with code 1", true],
  ["Process exited with code 0", false],
  ["the field exit_code: 1 is documented below", false],
  ["1→class NotFoundError extends Error {}", false],
  ["Errors are values.", false],
  [undefined, false],
  [`Error: ${"x".repeat(1000)}`, false],
])("%j says that the call failed: %s", (output, failed) => {
  expect(saysFailed({ output })).toBe(failed);
});
