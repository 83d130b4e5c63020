import { globSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

export const root = join(import.meta.dirname, "..");

export interface WorkspacePackage {
  readonly name: string;
  /** Path from the root, with forward slashes. */
  readonly folder: string;
  readonly directory: string;
  readonly dependencies: readonly string[];
}

/** The target of an entry in the `exports` of a package. */
export type ExportTarget = string | { readonly types: string; readonly default: string };

/** The sources of what a package exports: a pattern of paths from its folder. */
export const publicEntries =
  "src/{index,account,adapter,kit,schema,testing,node,sqlite,keep-elsewhere,story,checkpoint,live}.ts";

/** Every published package, in a stable order. */
export function publishedPackages(): readonly WorkspacePackage[] {
  return globSync("packages/{*,adapters/*}/package.json", { cwd: root })
    .sort()
    .map((path) => {
      const directory = join(root, path, "..");
      const manifest = JSON.parse(readFileSync(join(root, path), "utf8")) as {
        readonly name: string;
        readonly dependencies?: Readonly<Record<string, string>>;
        readonly peerDependencies?: Readonly<Record<string, string>>;
      };
      return {
        name: manifest.name,
        folder: relative(root, directory).replaceAll("\\", "/"),
        directory,
        dependencies: Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
      };
    });
}

/** Packages that the workspace has in one version: a project gets the versions that the tests use. */
export function lockedVersions(): ReadonlyMap<string, string> {
  const versions = new Map<string, Set<string>>();
  for (const entry of readdirSync(join(root, "node_modules/.pnpm"))) {
    const [, name, version] = /^(@?[^@]+)@(\d[^_(]*)/.exec(entry.replace("+", "/")) ?? [];
    if (name !== undefined && version !== undefined) versions.set(name, (versions.get(name) ?? new Set()).add(version));
  }
  return new Map([...versions].flatMap(([name, [only = "", ...more]]) => (more.length === 0 ? [[name, only]] : [])));
}
