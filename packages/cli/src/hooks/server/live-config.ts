import type { Mode, RunOptions } from "@phasekit/core";
import { homedir } from "node:os";
import { pathToFileURL } from "node:url";
import { configsIn, searchedFolders } from "../../config/find-config.ts";

/** The settings of a project for its live sessions, from a config that the user approved. */
export interface LiveConfig {
  /** The config's path. */
  readonly path: string;
  /** Fresh run options: graph, interpreters and policies. */
  readonly options: (mode: Mode) => RunOptions;
  readonly mode?: Mode;
}

/** Loads the approved config of a folder; undefined if there is none. */
export type LoadLiveConfig = (folder: string) => Promise<LiveConfig | undefined>;

/** Options for `liveConfigLoader()`. */
export interface LiveConfigLoaderOptions {
  /** The module that exports `loadLiveConfig`; `phasekit init` names the one of the `phasekit` package. */
  readonly module: () => string | undefined;
  /** The user's home folder; configs above it do not count. @default the one of this process */
  readonly home?: string;
  /** @default 3 seconds */
  readonly limitMs?: number;
}

const LIMIT_MS = 3000;

/**
 * Loads configs with a module of the `phasekit` package, which knows what the user approved. The module is imported
 * only where there is a config, since most projects have none. Rejects if the module is gone or takes too long.
 */
export function liveConfigLoader({
  module,
  home = homedir(),
  limitMs = LIMIT_MS,
}: LiveConfigLoaderOptions): LoadLiveConfig {
  return async (folder) => {
    if (!searchedFolders(folder, home).some((searched) => configsIn(searched).length > 0)) return undefined;
    const path = module();
    if (path === undefined) return undefined;
    return await within(limitMs, load(path, folder));
  };
}

async function load(path: string, folder: string): Promise<LiveConfig | undefined> {
  const { loadLiveConfig } = (await import(pathToFileURL(path).href)) as { readonly loadLiveConfig?: LoadLiveConfig };
  return await loadLiveConfig?.(folder);
}

function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`The config took more than ${String(limitMs)} ms.`)), limitMs);
    timer.unref();
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
