import process from "node:process";
import { loadConfig } from "./config/load-config.ts";
import type { LoadLiveConfig } from "./hooks/server/live-config.ts";
import { configuredSet } from "./run-presets.ts";

/**
 * Loads the nearest config of a folder for its live sessions, if the user approved it with `phasekit trust`. A config
 * that is not approved counts for nothing here: the agent that is judged may have written it.
 */
export const loadLiveConfig: LoadLiveConfig = async (folder) => {
  const loaded = await loadConfig({ cwd: folder, env: process.env, path: undefined, trustAll: false });
  const { path, approved, config } = loaded;
  if (path === undefined || !approved) return undefined;
  const { options } = await configuredSet(loaded);
  const mode = config.run?.mode ?? config.mode;
  return { path, options, ...(mode !== undefined && { mode }) };
};
