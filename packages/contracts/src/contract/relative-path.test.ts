import { describe, expect, it } from "vitest";
import { artifactPathFor, isSafeIdentifier } from "./identifier.ts";
import { pathProblem, promotionProblem } from "./relative-path.ts";

describe("pathProblem", () => {
  it.each([
    // A01
    ["../../outside.md", "escapes-root"],
    ["a/../../b", "escapes-root"],
    ["docs/../../x", "escapes-root"],
    ["..", "escapes-root"],
    ["a/..", "escapes-root"],
    // A02
    ["/etc/passwd", "absolute"],
    ["//server/share", "absolute"],
    ["\\\\server\\share\\x", "characters"],
    ["C:\\x", "characters"],
    ["C:x", "characters"],
    ["\\\\?\\C:\\x", "characters"],
    ["~/x", "absolute"],
    ["~root/x", "absolute"],
    // A03
    ["a\0.md", "characters"],
    ["a\nb.md", "characters"],
    ["a\u001bb.md", "characters"],
    ["a\u202eb.md", "characters"],
    ["a\u200bb.md", "characters"],
    ["a\ud800.md", "characters"],
    ["\udc00.md", "characters"],
    ["\ufeffa.md", "characters"],
    // A04: never decoded, so only a backslash is refused
    ["..%5cx.md", undefined],
    ["%2e%2e%2fx.md", undefined],
    ["\uff0e\uff0e/x.md", undefined],
    ["a\\..\\b", "characters"],
    ["a/..\\b", "characters"],
    // A05
    ["con", "device-name"],
    ["aux.md", "device-name"],
    ["docs/NUL.txt", "device-name"],
    ["com1", "device-name"],
    ["LPT9.log", "device-name"],
    ["a.md.", "characters"],
    ["a.md ", "characters"],
    ["docs./a.md", "characters"],
    ["file.md:stream", "characters"],
    [" a.md", "characters"],
    // A14
    ["x".repeat(300), "too-long"],
    ["x".repeat(201), "too-long"],
    ["x".repeat(200), undefined],
    ["a/".repeat(5000) + "x", "too-long"],
    ["a/".repeat(32) + "x", "too-long"],
    ["a/".repeat(31) + "x", undefined],
    ["", "empty"],
    ["a//b", "characters"],
    ["./a", "characters"],
    ["a/.", "characters"],
    ["a/", "characters"],
    ["a*b", "characters"],
    ["a?b", "characters"],
    // plain ones
    ["docs/research/feature-xyz.md", undefined],
    ["README.md", undefined],
    ["a b/ü😀.md", undefined],
    ["console.md", undefined],
    ["auxiliary/x.md", undefined],
    ["...x", undefined],
    [".a/b", undefined],
  ])("%j: %s", (path, reason) => {
    expect(pathProblem(path)?.reason).toBe(reason);
  });
});

describe("promotionProblem", () => {
  it.each([
    { path: "docs/research/a.md", allowed: ["docs/research"], reason: undefined },
    { path: "docs/research/deep/a.md", allowed: ["docs/research"], reason: undefined },
    { path: "docs/plan.md", allowed: ["docs/plan.md"], reason: undefined },
    { path: "docs/research-2/a.md", allowed: ["docs/research"], reason: "not-allowed" },
    { path: "docs/researcha.md", allowed: ["docs/research"], reason: "not-allowed" },
    { path: "src/index.ts", allowed: ["docs/research"], reason: "not-allowed" },
    { path: "docs/research/a.md", allowed: [], reason: "not-allowed" },
    { path: "docs/research/../../a.md", allowed: ["docs/research"], reason: "escapes-root" },
    // A11
    { path: "docs/.git/config", allowed: ["docs"], reason: "protected" },
    { path: "docs/.GIT/config", allowed: ["docs"], reason: "protected" },
    { path: "docs/.github/workflows/x.yml", allowed: ["docs"], reason: "protected" },
    { path: "docs/node_modules/x/index.js", allowed: ["docs"], reason: "protected" },
    { path: "docs/hooks/pre-commit", allowed: ["docs"], reason: "protected" },
    { path: "docs/.bashrc", allowed: ["docs"], reason: "protected" },
    { path: "docs/.phasekit/x", allowed: ["docs"], reason: "protected" },
    { path: "docs/AGENTS.md", allowed: ["docs"], reason: "protected" },
    { path: "docs/package.json", allowed: ["docs"], reason: "protected" },
    { path: ".github/notes/a.md", allowed: [".github/notes"], reason: undefined },
    { path: ".github/notes/.git/a.md", allowed: [".github/notes"], reason: "protected" },
  ])("$path in $allowed: $reason", ({ path, allowed, reason }) => {
    expect(promotionProblem(path, allowed)?.reason).toBe(reason);
  });
});

describe("artifactPathFor", () => {
  it("artifactPathFor puts the identifier in once", () => {
    expect(artifactPathFor("docs/{identifier}/{identifier}.md", "SYM-001")).toBe("docs/SYM-001/SYM-001.md");
  });

  it.each(["a/b", "..", "a..b", "{identifier}", "$(id)", "$&", "", "a\n", "-a", ".a", "a.", "x".repeat(129)])(
    "refuses %j",
    (identifier) => {
      expect(isSafeIdentifier(identifier)).toBe(false);
      expect(() => artifactPathFor("docs/{identifier}.md", identifier)).toThrow("is not safe inside a path");
    },
  );
});
