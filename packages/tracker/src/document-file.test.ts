import { describe, expect, it } from "vitest";
import { isDocumentFile } from "./document-file.ts";

describe("isDocumentFile", () => {
  it.each([
    "README.md", "readme.rst", "packages/a/README.md", "CHANGELOG", "CHANGELOG.md", "CHANGES.txt", "LICENSE", "LICENSE-MIT", "LICENCE.txt", "COPYING", "AUTHORS",
    "notes.txt", "AGENTS.md", ".changeset/blue-cats.md", "docs/guide.md", "docs/images/flow.png", "docs/index.html", "doc/manual.adoc", "docs/assets/logo.svg",
    "/repo/docs/a.md", "C:\\repo\\README.md", "src/README.md", "src/test-output.md",
  ])("%s is one", (path) => {
    expect(isDocumentFile(path)).toBe(true);
  });

  it.each([
    "package.json", "pnpm-lock.yaml", "tsconfig.json", ".github/workflows/ci.yml", "Dockerfile", "Makefile", ".env", "setup.cfg", "pyproject.toml",
    "docs/intro.mdx", "page.mdx", "analysis.ipynb", "docs/tutorial.ipynb", "docs/conf.py", "docs/package.json", "docs/example.ts", "docs/Makefile",
    "requirements.txt", "requirements-dev.txt", "dev-requirements.txt", "requirements/base.txt", "constraints.txt", "CMakeLists.txt", "robots.txt",
    "a.test.ts", "tests/readme.md", "test/expected.txt", "src/__fixtures__/page.md", "testdata/in.txt", "src/__snapshots__/a.md",
    "src/prompts/system.md", "templates/mail.txt", "data/words.txt",
    "README.ts", "license.go", "history.js", "changes.py", "src/index.html", "logo.png", "a.ts", "md", "",
  ])("%s is none", (path) => {
    expect(isDocumentFile(path)).toBe(false);
  });
});
