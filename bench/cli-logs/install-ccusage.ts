import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** The version we are compared with. */
export const CCUSAGE = "20.0.24";

/**
 * Installs ccusage into a folder; returns its program.
 * @throws if npm cannot install it
 */
export async function installCcusage(folder: string, signal: AbortSignal): Promise<string> {
  writeFileSync(join(folder, "package.json"), "{}");
  const args = ["install", "--no-audit", "--no-fund", "--silent", `ccusage@${CCUSAGE}`];
  await promisify(execFile)("npm", args, { cwd: folder, signal });
  const program = join(folder, "node_modules/ccusage/src/cli.js");
  if (!existsSync(program)) throw new Error(`ccusage ${CCUSAGE} has no program at ${program}.`);
  return program;
}
