import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The packages that a summary depends on. The entry of a package names its chunks by their content. */
const ENTRIES = [
  "@phasekit/coding",
  "@phasekit/core",
  "@phasekit/core/kit",
  "@phasekit/core/presets",
  "@phasekit/ledger",
  "@phasekit/ledger/kit",
  "@phasekit/reading",
  "@phasekit/tracker",
  "@phasekit/transcripts",
  "@phasekit/transcripts/node",
  "@phasekit/watchdog",
];

/**
 * Identifies the code that reads and judges logs, by its content: a summary made by other code is not used.
 * `undefined` if the code cannot be found.
 */
export function readerVersion(): string | undefined {
  try {
    // The program names its chunks by their content too. It is not there when the sources run.
    const here = fileURLToPath(import.meta.url);
    const program = join(dirname(here), "bin.js");
    const hash = createHash("sha256").update(readFileSync(existsSync(program) ? program : here));
    const { resolve } = createRequire(import.meta.url);
    for (const entry of ENTRIES) hash.update(readFileSync(resolve(entry)));
    return hash.digest("hex").slice(0, 16);
  } catch {
    return undefined;
  }
}
