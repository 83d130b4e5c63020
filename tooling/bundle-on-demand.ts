import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type BuildOptions, buildSync } from "esbuild";
import { SOURCE_CONDITION } from "./source-condition.ts";
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
export function bundleOnDemand(options: BundleOptions): string {
  const key = hashOf(JSON.stringify([options, process.versions.node]));
  const cached = readCache(key);
  if (cached !== undefined && Object.entries(cached.inputs).every(([path, hash]) => hashOfFile(path) === hash))
    return cached.text;
  const { outputFiles, metafile } = buildSync({
    legalComments: "none",
    logLevel: "warning",
    conditions: [SOURCE_CONDITION],
    ...options,
    bundle: true,
    write: false,
    metafile: true,
  });
  const [file] = outputFiles;
  if (file === undefined || outputFiles.length !== 1) throw new Error(`${JSON.stringify(options)} is not one file.`);
  const paths = Object.keys(metafile.inputs).map((path) => join(options.absWorkingDir, path));
  const inputs = Object.fromEntries(paths.map((path) => [path, hashOfFile(path) ?? ""]));
  writeCachedFile(`${key}.json`, JSON.stringify({ inputs, text: file.text } satisfies CachedBundle));
  return file.text;
}

const folder = join(root, "node_modules/.cache/phasekit");

/** Writes a file that is made of sources unless it is there with the same content; returns its path. */
export function writeCachedFile(name: string, text: string): string {
  const path = join(folder, name);
  if (readText(path) === text) return path;
  mkdirSync(dirname(path), { recursive: true });
  // By a rename, because several processes may make the same file.
  const made = `${path}.${String(process.pid)}`;
  writeFileSync(made, text);
  renameSync(made, path);
  return path;
}

function readCache(key: string): CachedBundle | undefined {
  const text = readText(join(folder, `${key}.json`));
  return text === undefined ? undefined : (JSON.parse(text) as CachedBundle);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function hashOfFile(path: string): string | undefined {
  const text = readText(path);
  return text === undefined ? undefined : hashOf(text);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
