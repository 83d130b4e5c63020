import { readdirSync, statSync } from "node:fs";
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
  const { files, bytes } = sizeOf(folder);
  if (action === "clear") removeCache(folder);
  const size = `${plural(files, "file")}, ${megabytes(bytes)}`;
  return Promise.resolve({
    exitCode: exitCodes.ok,
    data: { action, folder, files, bytes },
    lines: [cleanText(action === "clear" ? `Deleted ${size} in ${folder}` : `${folder}: ${size}`)],
  });
};

function sizeOf(folder: string): { readonly files: number; readonly bytes: number } {
  try {
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((name) => statSync(join(folder, name), { throwIfNoEntry: false }))
      .filter((stats) => stats?.isFile() === true);
    return { files: files.length, bytes: files.reduce((sum, stats) => sum + (stats?.size ?? 0), 0) };
  } catch {
    return { files: 0, bytes: 0 };
  }
}
