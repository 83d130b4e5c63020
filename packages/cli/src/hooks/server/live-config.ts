import type { Mode, RunOptions } from "@phasekit/core";
import { readdirSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { foldersUp } from "./hook-config.ts";

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
  /** @default 3 seconds */
  readonly limitMs?: number;
}

const LIMIT_MS = 3000;
const CONFIG = /^phasekit\.config\.(?:jsonc?|ya?ml|[cm]?[jt]s)$/;

/**
 * Loads configs with a module of the `phasekit` package, which knows what the user approved. The module is imported
 * only where there is a config, since most projects have none. Rejects if the module is gone or takes too long.
 */
export function liveConfigLoader({ module, limitMs = LIMIT_MS }: LiveConfigLoaderOptions): LoadLiveConfig {
  return async (folder) => {
    if (!foldersUp(folder).some(hasConfig)) return undefined;
    const path = module();
    if (path === undefined) return undefined;
    return await within(limitMs, load(path, folder));
  };
}

async function load(path: string, folder: string): Promise<LiveConfig | undefined> {
  const { loadLiveConfig } = (await import(pathToFileURL(path).href)) as { readonly loadLiveConfig?: LoadLiveConfig };
  return await loadLiveConfig?.(folder);
}

function hasConfig(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => CONFIG.test(name));
  } catch {
    return false;
  }
}

function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`The config took more than ${String(limitMs)} ms.`)), limitMs);
    timer.unref();
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
