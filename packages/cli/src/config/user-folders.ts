import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";

type Env = Readonly<Record<string, string | undefined>>;

/** Returns the home folder of the user. */
export const homeFolder = (env: Env): string => env["HOME"] ?? homedir();

/** Returns the folder for user settings such as approvals. By default it is outside of every repository. */
export function userConfigFolder(env: Env, platform: NodeJS.Platform = process.platform): string {
  const named = env["XDG_CONFIG_HOME"];
  if (named !== undefined && named.startsWith("/")) return join(named, "phasekit");
  if (platform === "win32") return join(env["APPDATA"] ?? join(homeFolder(env), "AppData", "Roaming"), "phasekit");
  if (platform === "darwin") return join(homeFolder(env), "Library", "Application Support", "phasekit");
  return join(homeFolder(env), ".config", "phasekit");
}

/** Returns the folder for files that are safe to delete, such as the index of log summaries. */
export function userCacheFolder(env: Env, platform: NodeJS.Platform = process.platform): string {
  const named = env["XDG_CACHE_HOME"];
  if (named !== undefined && named.startsWith("/")) return join(named, "phasekit");
  if (platform === "win32")
    return join(env["LOCALAPPDATA"] ?? join(homeFolder(env), "AppData", "Local"), "phasekit", "cache");
  if (platform === "darwin") return join(homeFolder(env), "Library", "Caches", "phasekit");
  return join(homeFolder(env), ".cache", "phasekit");
}
