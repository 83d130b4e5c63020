import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The part of this program that reads logs. */
const PROGRAM = "#read-worker";

/** The packages beside the built program that a summary depends on. */
const BESIDE = ["@phasekit/core", "@phasekit/core/account", "@phasekit/core/adapter"];

/** Those that are built into it. */
const INSIDE = [
  "@phasekit/coding",
  "@phasekit/ledger",
  "@phasekit/ledger/node",
  "@phasekit/ledger/story",
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
    const { resolve } = createRequire(import.meta.url);
    const hash = createHash("sha256");
    const program = resolve(PROGRAM);
    const entries = program.endsWith(".ts") ? [...BESIDE, ...INSIDE] : BESIDE;
    for (const path of new Set([program, ...entries.map((entry) => resolve(entry))].flatMap(filesOf)))
      hash.update(readFileSync(path));
    return hash.digest("hex").slice(0, 16);
  } catch {
    return undefined;
  }
}

/** A built entry names its chunks by their content. A source does not, so all sources beside it count. */
function filesOf(entry: string): readonly string[] {
  if (!entry.endsWith(".ts")) return [entry];
  const folder = dirname(entry);
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .sort()
    .map((path) => join(folder, path));
}
