import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { cleanText } from "../clean-text.ts";
import type { CommandRun } from "../command.ts";
import { userCacheFolder } from "../config/user-folders.ts";
import { badArgument } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { removeCache } from "../log-index/private-cache.ts";
import { megabytes, plural } from "../render/numbers.ts";

/** Shows where summaries of logs are stored and how large they are, or deletes them. */
export const cache: CommandRun = ({ args: [action = "show"] }, { env }) => {
  if (action !== "show" && action !== "clear")
    throw badArgument(`There is no action "${action}"`, "Write `phasekit cache` or `phasekit cache clear`.");
  const folder = userCacheFolder(env);
  const before = sizeOf(folder);
  const isWhole = action === "show" || removeCache(folder);
  const { files, bytes } = isWhole ? before : minus(before, sizeOf(folder));
  const size = `${plural(files, "file")}, ${megabytes(bytes)}`;
  const deleted = `Deleted ${size} in ${folder}${isWhole ? "" : "; the rest could not be deleted"}`;
  return Promise.resolve({
    exitCode: isWhole ? exitCodes.ok : exitCodes.findings,
    data: { action, folder, files, bytes },
    lines: [cleanText(action === "clear" ? deleted : `${folder}: ${size}`)],
  });
};

interface Size {
  readonly files: number;
  readonly bytes: number;
}

const minus = (before: Size, after: Size): Size => ({
  files: before.files - after.files,
  bytes: before.bytes - after.bytes,
});

/** Counts the files below a folder. Follows no links. */
function sizeOf(folder: string): Size {
  let [files, bytes] = [0, 0];
  for (const entry of entriesIn(folder)) {
    const stats = entry.isFile() ? lstatSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false }) : undefined;
    if (stats === undefined) continue;
    files += 1;
    bytes += stats.size;
  }
  return { files, bytes };
}

function entriesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch {
    return [];
  }
}
