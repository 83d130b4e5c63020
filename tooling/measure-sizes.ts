import { build, type Metafile } from "esbuild";
import { basename } from "node:path";
import { gzipSync } from "node:zlib";
import budgets from "./size.json" with { type: "json" };
import { publishedPackages } from "./workspace.ts";

/** A budget of tooling/size.json. */
interface Budget {
  readonly package: string;
  readonly imports: readonly string[];
  readonly maxBytes: number;
  /** True to count the packages it depends on too. */
  readonly whole?: boolean;
}

/** A budget, and what it is spent on. */
export interface MeasuredSize extends Budget {
  readonly bytes: number;
}

/**
 * Bundles what a user would import from the built packages, minified and gzipped. A chunk that only a dynamic import
 * reaches is not counted.
 */
export async function measureSizes(): Promise<readonly MeasuredSize[]> {
  return await Promise.all((budgets as readonly Budget[]).map(measureSize));
}

async function measureSize(budget: Budget): Promise<MeasuredSize> {
  const { package: name, imports, whole } = budget;
  const found = publishedPackages().find((candidate) => candidate.name === name);
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
  return { ...budget, bytes };
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
