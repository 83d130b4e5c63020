import { build } from "esbuild";
import { globSync } from "node:fs";
import { join } from "node:path";
import { publishedPackages } from "./workspace.ts";

/**
 * Fails when the sources of a package import each other's values in a circle. esbuild erases the type imports, so
 * what its graph shows is exactly what would be loaded.
 */
let found = 0;
for (const { name, directory } of publishedPackages()) {
  const { metafile } = await build({
    absWorkingDir: directory,
    entryPoints: globSync("src/**/*.ts", { cwd: directory }).filter((path) => !/\.test(-d)?\.ts$/.test(path)),
    bundle: true,
    packages: "external",
    // A package's own imports lead to what its build makes.
    external: ["#*"],
    platform: "node",
    format: "esm",
    outdir: join(directory, "dist"),
    write: false,
    metafile: true,
    treeShaking: false,
    logLevel: "error",
  });
  const importsByFile = new Map(
    Object.entries(metafile.inputs).map(([file, { imports }]) => [
      file,
      imports.filter(({ external }) => external !== true).map(({ path }) => path),
    ]),
  );
  for (const cycle of cyclesIn(importsByFile)) {
    console.error(`${name}: ${cycle.join(" -> ")}`);
    found += 1;
  }
}
if (found > 0) {
  console.error("Move what both files need into a third one, or import only the type.");
  process.exitCode = 1;
}

/** One example of every cycle a depth-first walk runs into. */
function cyclesIn(importsByFile: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const cycles: string[][] = [];
  const finished = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): void => {
    if (finished.has(file)) return;
    const start = path.indexOf(file);
    if (start >= 0) {
      cycles.push([...path.slice(start), file]);
      return;
    }
    path.push(file);
    for (const imported of importsByFile.get(file) ?? []) visit(imported);
    path.pop();
    finished.add(file);
  };
  for (const file of importsByFile.keys()) visit(file);
  return cycles;
}
