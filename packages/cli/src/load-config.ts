import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { configKeys, type PhasekitConfig } from "./define-config.ts";
import { badConfig } from "./errors.ts";
import { loadModule } from "./load-module.ts";

/** A config, where it stands, and what its relative paths refer to. */
export interface LoadedConfig {
  readonly config: PhasekitConfig<string>;
  /** Absent when there is none. */
  readonly path: string | undefined;
  readonly folder: string;
}

const NAMES = ["phasekit.config.ts", "phasekit.config.mts", "phasekit.config.js", "phasekit.config.mjs", "phasekit.config.json"];

/**
 * Loads the named config, or the nearest one in this folder or above it, up to the root of the repository.
 * @throws BAD_CONFIG
 */
export async function loadConfig({ cwd, path: named }: { readonly cwd: string; readonly path: string | undefined }): Promise<LoadedConfig> {
  const path = named === undefined ? findConfig(cwd) : resolve(cwd, named);
  if (path === undefined) return { config: {}, path, folder: cwd };
  if (!existsSync(path)) throw badConfig(path, "there is no such file");
  let loaded: unknown;
  try {
    loaded = path.endsWith(".json") ? JSON.parse(await readFile(path, "utf8")) : await loadModule(path);
  } catch (error) {
    throw badConfig(path, error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error), error);
  }
  return { config: checkConfig(loaded, path), path, folder: dirname(path) };
}

function findConfig(from: string): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const found = NAMES.map((name) => join(folder, name)).find((path) => existsSync(path));
    if (found !== undefined) return found;
    if (existsSync(join(folder, ".git")) || dirname(folder) === folder) return undefined;
  }
}

function checkConfig(loaded: unknown, path: string): PhasekitConfig<string> {
  if (typeof loaded !== "object" || loaded === null || Array.isArray(loaded)) throw badConfig(path, "its default export is not an object");
  const unknown = Object.keys(loaded).find((key) => key !== "default" && !(configKeys as readonly string[]).includes(key));
  if (unknown !== undefined) throw badConfig(path, `"${unknown}" is not an option; there are ${configKeys.join(", ")}`);
  const { runs, logs, contracts, run, check, database, worker } = loaded as PhasekitConfig<string>;
  for (const [name, value] of Object.entries({ runs, contracts })) if (value !== undefined && typeof (value as unknown) !== "string") throw badConfig(path, `"${name}" is not a path`);
  if (database !== undefined && typeof (database as unknown) !== "string") throw badConfig(path, '"database" is not an address');
  if (logs !== undefined && !(Array.isArray(logs) && logs.every((entry: unknown) => typeof entry === "string"))) throw badConfig(path, '"logs" is not a list of paths');
  for (const [name, value] of Object.entries({ run, check, worker })) if (value !== undefined && typeof (value as unknown) !== "object") throw badConfig(path, `"${name}" is not an object`);
  return loaded;
}
