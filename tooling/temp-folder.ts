import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Gives the tests of a package one folder for temporary files and removes it when they have ended. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "pk-"));
  // A database server that root starts runs as another user.
  chmodSync(folder, 0o755);
  for (const name of ["TMPDIR", "TEMP", "TMP"]) process.env[name] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
