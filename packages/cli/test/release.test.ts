import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const ROOT = join(import.meta.dirname, "../../..");

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly publishConfig?: { readonly provenance?: boolean };
}

describe("a release", () => {
  it("every package has npm provenance", () => {
    const manifests = globSync(["packages/*/package.json", "packages/adapters/*/package.json"], { cwd: ROOT })
      .map((path) => JSON.parse(readFileSync(join(ROOT, path), "utf8")) as Manifest)
      .filter((manifest) => manifest.private !== true);
    expect(manifests.length).toBeGreaterThan(10);
    expect(manifests.filter(({ publishConfig }) => publishConfig?.provenance !== true).map(({ name }) => name)).toEqual(
      [],
    );
    const { jobs } = parse(readFileSync(join(ROOT, ".github/workflows/release.yml"), "utf8")) as {
      readonly jobs: { readonly release: { readonly permissions: Readonly<Record<string, string>> } };
    };
    expect(jobs.release.permissions["id-token"]).toBe("write");
  });

  it("the release workflow runs the check command with read-only rights", () => {
    const ci = parse(readFileSync(join(ROOT, ".github/workflows/ci.yml"), "utf8")) as {
      readonly permissions: object;
      readonly jobs: { readonly all: { readonly steps: readonly { readonly run?: string }[] } };
    };
    expect(ci.jobs.all.steps.some(({ run }) => run === ".ci/run")).toBe(true);
    expect(ci.permissions).toEqual({ contents: "read" });
  });
});
