// Imported by the hook command, which starts for every event: no imports but these.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { HookPaths } from "./hook-paths.ts";
import { standaloneFile } from "#standalone-file";

/** The server as a single file: the installed one, else the one of this package. */
export function serverFile({ bin }: Pick<HookPaths, "bin">): string {
  const installed = join(bin, "server.mjs");
  return existsSync(installed) ? installed : standaloneFile("server.mjs");
}
