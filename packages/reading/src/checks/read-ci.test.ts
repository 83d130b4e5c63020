import { expect, it } from "vitest";
import { isPendingList, readCi } from "./read-ci.ts";

it.each([
  ["Build\tpass\t43s\turl\nTest\tpass\t1m\turl", 0, "pass"],
  ["E2E\tfail\t3m\turl\nBuild\tpass\t43s\turl", 1, "fail"],
  ["Build\tpending\t0\turl\nLint\tpass\t5s\turl", undefined, "pending"],
  ["Build\tpending\t0\turl", 8, "pending"],
  ["* main CI · 12\n\nJOBS\n* Build (ID 1)\n  ✓ Set up job", undefined, "pending"],
  ["✓ main CI · 12\n\nJOBS\n✓ Build in 15s (ID 1)", 0, "pass"],
  ["X main CI · 12\n\nJOBS\nX Build in 15s (ID 1)", 1, "fail"],
  ["HTTP 404: Not Found", 1, "unknown"],
])("%j with exit code %s is %s", (output, exitCode, state) => {
  expect(readCi(output, exitCode)).toBe(state);
});

it.each([
  ["[]", true],
  ['[{"status":"in_progress","conclusion":""},{"status":"completed","conclusion":"failure"}]', true],
  ['[{"status":"completed","conclusion":"success"},{"status":"in_progress"}]', false],
])("a list %s is pending: %s", (output, pending) => {
  expect(isPendingList(output)).toBe(pending);
});
