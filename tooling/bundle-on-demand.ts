import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, type BuildOptions } from "esbuild";
import { root } from "./workspace.ts";

/** One bundle as it was made, with the content of every file it was made of. */
interface CachedBundle {
  readonly inputs: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Options of esbuild for a bundle that is one file. */
export type BundleOptions = Omit<BuildOptions, "bundle" | "write" | "metafile" | "outdir" | "outfile"> & {
  readonly absWorkingDir: string;
};

/**
 * Bundles the sources of packages into the text of one file. A bundle that was made before is read again as long as
 * every file it was made of has the same content.
 */
export async function bundleOnDemand(options: BundleOptions): Promise<string> {
  const key = hashOf(JSON.stringify([options, process.versions.node]));
  const cached = readCache(key);
  if (cached !== undefined && Object.entries(cached.inputs).every(([path, hash]) => hashOfFile(path) === hash))
    return cached.text;
  const { outputFiles, metafile } = await build({
    legalComments: "none",
    logLevel: "warning",
    conditions: ["phasekit-source"],
    ...options,
    bundle: true,
    write: false,
    metafile: true,
  });
  const [file] = outputFiles;
  if (file === undefined || outputFiles.length !== 1) throw new Error(`${JSON.stringify(options)} is not one file.`);
  const paths = Object.keys(metafile.inputs).map((path) => join(options.absWorkingDir, path));
  const inputs = Object.fromEntries(paths.map((path) => [path, hashOfFile(path) ?? ""]));
  writeCache(key, { inputs, text: file.text });
  return file.text;
}

const folder = join(root, "node_modules/.cache/phasekit");

function readCache(key: string): CachedBundle | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, `${key}.json`), "utf8")) as CachedBundle;
  } catch {
    return undefined;
  }
}

/** By a rename, because several processes may make the same bundle. */
function writeCache(key: string, bundle: CachedBundle): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${key}.json`);
  writeFileSync(`${path}.${String(process.pid)}`, JSON.stringify(bundle));
  renameSync(`${path}.${String(process.pid)}`, path);
}

function hashOfFile(path: string): string | undefined {
  try {
    return hashOf(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
