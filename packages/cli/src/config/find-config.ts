import { existsSync, lstatSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";

/** Names of data configs. They are read, never run. */
export const dataNames: readonly string[] = [
  "phasekit.config.json",
  "phasekit.config.jsonc",
  "phasekit.config.yaml",
  "phasekit.config.yml",
];

/** Names of code configs. They run only if the user named or approved them. */
export const codeNames: readonly string[] = [
  "phasekit.config.ts",
  "phasekit.config.mts",
  "phasekit.config.js",
  "phasekit.config.mjs",
];

/** True if the name is that of a data config. */
export const isData = (path: string): boolean => /\.(?:jsonc?|ya?ml)$/.test(path);

/**
 * Returns the folders to search for a config, the nearest first: up to the repository (the nearest folder with `.git`)
 * or the home folder, never above either. Outside of both, only the folder itself.
 */
export function searchedFolders(from: string, home: string): readonly string[] {
  const start = resolve(from);
  const chain = [...ancestors(start)];
  const repository = chain.findIndex((folder) => existsSync(join(folder, ".git")));
  const own = chain.indexOf(resolve(home));
  if (repository === -1) return own === -1 ? [start] : chain.slice(0, own + 1);
  // A repository above home, such as /, does not extend the search.
  return chain.slice(0, (own === -1 ? repository : Math.min(repository, own)) + 1);
}

/** The configs in a folder, data first. */
export function configsIn(folder: string): readonly string[] {
  return [...dataNames, ...codeNames].map((name) => join(folder, name)).filter(isThere);
}

/** The nearest folder with `.git`. */
export function repositoryOf(from: string): string | undefined {
  return [...ancestors(resolve(from))].find((folder) => existsSync(join(folder, ".git")));
}

/** True if a path is the folder or inside it. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!way.startsWith("..") && !isAbsolute(way));
}

function* ancestors(start: string): Generator<string> {
  for (let folder = start; ; folder = dirname(folder)) {
    yield folder;
    if (dirname(folder) === folder) return;
  }
}

/** True also for a dangling link, so that it is reported instead of ignored. */
function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
