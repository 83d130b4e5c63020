import type { CommandRun } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { renderStatusLine } from "../hooks/client/status-line.ts";
import { readSessionStatus } from "../hooks/client/user-requests.ts";
import { liveRoot } from "../live/install-folders.ts";

/** Prints the status line of this folder. Without options, `bin.ts` answers without loading this file. */
export const statusline: CommandRun = async (_input, { env, cwd }) => {
  const status = await readSessionStatus({ root: liveRoot(env), cwd });
  const line = renderStatusLine(status);
  return { exitCode: exitCodes.ok, data: { line, status: status ?? null }, lines: [line] };
};
