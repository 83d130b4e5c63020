import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}

/**
 * Imports every entry of the built package by its published name, in a plain Node process that knows nothing of
 * our sources. Tests of the sources stay green when the build is broken; these do not.
 */
export function describeBuiltPackage(directory: string): void {
  const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Manifest;

  describe(`${manifest.name} as built`, () => {
    for (const [entry, target] of Object.entries(manifest.exports)) {
      if (typeof target === "string") continue;
      const specifier = manifest.name + entry.slice(1);

      it(`${specifier} exports what its source exports, and has types`, async () => {
        const source = join(directory, target.default.replace("./dist/", "src/").replace(/\.js$/, ".ts"));
        const expected = Object.keys((await import(source)) as object).sort();
        expect(namesExportedBy(specifier, directory)).toEqual(expected);
        expect(existsSync(join(directory, target.types))).toBe(true);
      });
    }
  });
}

function namesExportedBy(specifier: string, directory: string): unknown {
  const script = `console.log(JSON.stringify(Object.keys(await import(${JSON.stringify(specifier)})).sort()))`;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: directory,
    encoding: "utf8",
  });
  return JSON.parse(output);
}
