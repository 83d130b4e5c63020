import { describe, expect, it } from "vitest";
import { shortPaths } from "./short-paths.ts";

describe("shortPaths", () => {
  it.each([
    { text: "edit /workspace/django__django__3.1/django/db/models/enums.py now", short: "edit …/models/enums.py now" },
    { text: "packages/app/src/components/Wizard.tsx", short: "…/components/Wizard.tsx" },
    { text: "src/a.ts and b/c.ts", short: "src/a.ts and b/c.ts" },
  ])("$text", ({ text, short }) => {
    expect(shortPaths(text)).toBe(short);
  });
});
