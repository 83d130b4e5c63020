import { join } from "node:path";
import type { CommandContext } from "../command.ts";
import { homeFolder } from "../config/user-folders.ts";

/** The folders that hooks are installed to and looked for in. */
export interface InstallPlace {
  readonly home: string;
  readonly cwd: string;
  /** Phasekit's own folder: `PHASEKIT_HOME`, or `.phasekit` in the user's home. */
  readonly root: string;
}

/** Returns the folders of this user and project. */
export function installPlace({ env, cwd }: Pick<CommandContext, "env" | "cwd">): InstallPlace {
  const home = homeFolder(env);
  return { home, cwd, root: liveRoot(env) };
}

/** Returns Phasekit's own folder in the user's home. */
export function liveRoot(env: CommandContext["env"]): string {
  const named = env["PHASEKIT_HOME"];
  return named === undefined || named === "" ? join(homeFolder(env), ".phasekit") : named;
}

/** Returns a path with `~` for the user's home. */
export const shortened = (path: string, home: string): string =>
  path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
