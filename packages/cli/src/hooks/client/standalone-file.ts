// Imported by the hook command, which starts for every event: no imports but these.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A single file that the build made: in `dist` beside this module, or in `dist` of this package if sources run. */
export function standaloneFile(name: string): string {
  const beside = fileURLToPath(new URL(`./standalone/${name}`, import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL(`../../../dist/standalone/${name}`, import.meta.url));
}
