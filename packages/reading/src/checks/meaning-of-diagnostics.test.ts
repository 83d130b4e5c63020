import { expect, it } from "vitest";
import { fromDiagnostics } from "./meaning-of-diagnostics.ts";

it.each([
  ['[{"uri":"file:///a.ts","diagnostics":[]}]', "pass"],
  ['[{"uri":"file:///a.ts","diagnostics":[{"severity":"Error","message":"x"}]}]', "fail"],
  ['[{"uri":"file:///a.ts","diagnostics":[{"severity":"Warning","message":"x"}]}]', "pass"],
  ["No linter errors found.", "pass"],
  ["Found 2 errors in a.ts", "fail"],
  ["???", "unknown"],
])("%j is %s", (output, verdict) => {
  const named = { activity: "lint", targets: ["file:///a.ts"] };
  expect(fromDiagnostics(named, { outcome: "ok", output }).notes).toEqual({
    check: { kind: "types", verdict, trusted: true },
    reaches: ["/a.ts"],
  });
});
