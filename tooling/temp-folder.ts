import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Files a stranger may have left in the folder for temporary files of a machine. Tests that look for files above their own
 * folders find these and fail.
 */
const strays: Readonly<Record<string, string>> = {
  "phasekit.config.mjs": 'throw new Error("A test read a config above its own folder.");\n',
  "phasekit.config.yaml": "a test: read: a config above: its own folder\n",
  ".phasekit/hooks.json": '{ "mode": "a test read the hooks above its own folder" }\n',
  ".phasekit/runs/stray/log.jsonl": "A test read a run above its own folder.\n",
};

/** Gives the tests one folder for temporary files, below a folder with strays, and removes it when they have ended. */
export function setup(): () => void {
  const above = mkdtempSync(join(tmpdir(), "pk-"));
  const folder = join(above, "t");
  for (const [name, text] of Object.entries(strays)) {
    mkdirSync(join(above, name, ".."), { recursive: true });
    writeFileSync(join(above, name), text);
  }
  mkdirSync(folder);
  // A database server that root starts runs as another user.
  for (const each of [above, folder]) chmodSync(each, 0o755);
  for (const name of ["TMPDIR", "TEMP", "TMP"]) process.env[name] = folder;
  return () => rmSync(above, { recursive: true, force: true, maxRetries: 3 });
}
