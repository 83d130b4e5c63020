import { build, type Metafile } from "esbuild";
import { basename } from "node:path";
import { gzipSync } from "node:zlib";
import budgets from "./size.json" with { type: "json" };
import { publishedPackages } from "./workspace.ts";

interface Budget {
  readonly package: string;
  readonly imports: readonly string[];
  readonly maxBytes: number;
  /** True to count the packages it depends on too. */
  readonly whole?: boolean;
}

/**
 * Bundles what a user would import from the built package, minified and gzipped, and compares it with size.json.
 * A chunk that only a dynamic import reaches is not counted.
 */
const packages = publishedPackages();
for (const { package: name, imports, maxBytes, whole } of budgets as readonly Budget[]) {
  const found = packages.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`size.json names "${name}", which is not a package of this workspace.`);
  const { outputFiles, metafile } = await build({
    // Side by side with the package's own manifest, its name resolves to its built entries.
    stdin: { contents: `export { ${imports.join(", ")} } from "${name}";`, resolveDir: found.directory },
    external: whole === true ? ["node:*"] : [...found.dependencies, "node:*"],
    bundle: true,
    minify: true,
    format: "esm",
    splitting: true,
    outdir: found.directory,
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  const loaded = loadedFiles(metafile, "stdin.js");
  const bytes = outputFiles
    .filter(({ path }) => loaded.has(basename(path)))
    .reduce((sum, { contents }) => sum + gzipSync(contents).length, 0);
  const how = whole === true ? "with its dependencies, minified, gzipped" : "minified, gzipped";
  console.log(`${name}: ${bytes} of ${maxBytes} bytes (${imports.join(", ")}; ${how})`);
  if (bytes >= maxBytes) {
    console.error(`${name} is over its budget in tooling/size.json.`);
    process.exitCode = 1;
  }
}

/** The names of an output and of all it imports, but for what it may import later. */
function loadedFiles({ outputs }: Metafile, entry: string): ReadonlySet<string> {
  const importsByFile = new Map(Object.entries(outputs).map(([path, { imports }]) => [basename(path), imports]));
  const loaded = new Set([entry]);
  for (const file of loaded)
    for (const { path, kind, external } of importsByFile.get(file) ?? [])
      if (kind === "import-statement" && external !== true) loaded.add(basename(path));
  return loaded;
}
