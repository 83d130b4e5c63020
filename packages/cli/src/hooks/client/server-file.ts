// Imported by the hook command, which starts for every event: no imports but these.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { HookPaths } from "./hook-paths.ts";

/** The server as a single file: the installed one, else the one of this package. */
export function serverFile({ bin }: Pick<HookPaths, "bin">): string {
  const installed = join(bin, "server.mjs");
  // Beside this module in `dist`.
  return existsSync(installed) ? installed : fileURLToPath(new URL("./standalone/server.mjs", import.meta.url));
}
