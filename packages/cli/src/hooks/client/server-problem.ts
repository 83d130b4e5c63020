// Imported by the hook command for the status line: no imports but these.
import { readPrivateFile } from "../../config/private-folder.ts";
import type { HookPaths } from "./hook-paths.ts";
import { rootProblem } from "./root-problem.ts";

const MAX_BYTES = 4096;

/** Returns why the local server cannot run, as far as its last start or the folders say; `undefined` if it can. */
export function serverProblem(paths: HookPaths): string | undefined {
  return rootProblem(paths) ?? readPrivateFile(paths.problem, { maxBytes: MAX_BYTES })?.trim();
}
