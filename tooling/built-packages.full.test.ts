import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ExportTarget, publishedPackages } from "./workspace.ts";

/**
 * Imports every entry of every built package by its published name, in a plain Node process without the condition that
 * leads to our sources; `pnpm test:full` builds first. Tests of the sources stay green when the build is broken; these do not.
 */
describe.each(publishedPackages())("$name as built", ({ name, directory }) => {
  const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, ExportTarget>>;
  };
  const entries = Object.entries(manifest.exports).flatMap(([entry, target]) =>
    typeof target === "string" ? [] : [{ specifier: name + entry.slice(1), target }],
  );

  it.each(entries)("$specifier exports what its source exports, and has types", async ({ specifier, target }) => {
    const source = join(directory, target.default.replace("./dist/", "src/").replace(/\.js$/, ".ts"));
    const expected = Object.keys((await import(source)) as object).sort();
    expect(namesExportedBy(specifier, directory)).toEqual(expected);
    expect(existsSync(join(directory, target.types))).toBe(true);
  });
});

function namesExportedBy(specifier: string, directory: string): unknown {
  const script = `console.log(JSON.stringify(Object.keys(await import(${JSON.stringify(specifier)})).sort()))`;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: directory,
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  return JSON.parse(output);
}
