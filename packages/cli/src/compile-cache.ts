import * as module from "node:module";
import { join } from "node:path";
import process from "node:process";
import { userCacheFolder } from "./config/user-folders.ts";

/** Keeps compiled code in the cache folder of the user, so that later commands start faster. Needs Node 22.1. */
export function useCompileCache(): void {
  if (process.argv.includes("--no-cache")) return;
  // Node 20 does not have it.
  const { enableCompileCache } = module as Partial<Pick<typeof module, "enableCompileCache">>;
  try {
    enableCompileCache?.(join(userCacheFolder(process.env), "compiled"));
  } catch {
    // The command starts a little later.
  }
}
