// Writes a known log until somebody kills it. Tells its parent over a pipe what it is about to do and what was
// acknowledged.
import { writeSync } from "node:fs";
import type { FileSystem } from "../file-system.ts";
import { nodeFileSystem } from "../file-system.ts";
import { openLogWriter } from "../log-writer.ts";
import { nodeProcesses } from "../process-identity.ts";
import { readLog } from "../read-log.ts";
import { folderName, runFolder } from "../run-folder.ts";
import { knownEvents, seeded } from "./known-log.ts";

const [root = "", run = "", seed = "1"] = process.argv.slice(2);
const random = seeded(Number(seed));
const real = nodeFileSystem();
const WORDS: Readonly<Partial<Record<keyof FileSystem, string>>> = {
  create: "create",
  link: "link",
  write: "write",
  sync: "sync",
  syncLater: "sync",
  syncFolder: "folder",
  openToRead: "read",
};
/** Opening ends with the first acknowledgement, moving to the next file with the sync of the folder. */
let stage: "open:" | "rotate:" | "" = "open:";
const files = Object.fromEntries(
  Object.entries(real).map(([name, operation]: [string, (...args: unknown[]) => unknown]) => {
    const word = WORDS[name as keyof FileSystem];
    return [
      name,
      word === undefined
        ? operation
        : (...args: unknown[]) => {
            if (stage === "" && name === "create" && String(args[0]).endsWith(".jsonl")) stage = "rotate:";
            writeSync(1, `${stage}${word}\n`);
            const result = operation(...args);
            if (stage === "rotate:" && name === "syncFolder") stage = "";
            return result;
          },
    ];
  }),
) as unknown as FileSystem;

const folder = runFolder(root, folderName(run));
let end = 0;
for (const part of readLog({ files: real, folder, run })) if ("events" in part) end = part.events.at(-1)?.seq ?? end;
const writer = openLogWriter({
  files,
  processes: nodeProcesses(),
  clock: Date.now,
  folder,
  run,
  takeOver: false,
  segmentBytes: 200_000,
  onError: (problem) => writeSync(1, `problem ${String(problem)}\n`),
});
for (;;) {
  const count = 1 + Math.floor(random() * 5);
  const events = knownEvents(run, { first: end + 1, last: end + count, size: sizeOf() });
  await writer.append(events, { after: end, level: random() < 0.3 ? "disk" : "kernel" });
  end += count;
  stage = "";
  writeSync(1, `ack ${String(end)}\n`);
}

/** The size is part of what is known, so it is the same for every writer of a run. */
function sizeOf(): number {
  return run.endsWith("large") ? 60_000 : 1000;
}
