// Imported by the hook command: no imports but these.
import { type LooseObject, nameIn, toObject } from "@phasekit/core/adapter";
import type { SessionStatus } from "@phasekit/hooks";
import { askControl } from "./ask-control.ts";
import { hookPaths, type HookPaths } from "./hook-paths.ts";
import { parseObject } from "./parse-object.ts";
import { serverProblem } from "./server-problem.ts";
import { spooledSince } from "./spooled-since.ts";
import { renderStatusLine } from "./status-line.ts";

const LIMIT_MS = 300;

/**
 * The status line for what an agent writes to its status command: JSON with its session and, in Claude Code, its cost.
 */
export async function readStatusLine(input: string, paths: HookPaths = hookPaths()): Promise<string> {
  const host = parseObject(input);
  const session = nameIn(host["session_id"]);
  // Without a session, the newest one of this folder.
  const choice = session === undefined ? { cwd: process.cwd() } : { session };
  const reply = await askControl(paths, { op: "status", ...choice }, { limitMs: LIMIT_MS, prove: false });
  return lineFor(reply, { host, paths });
}

function lineFor(reply: unknown, { host, paths }: { readonly host: LooseObject; readonly paths: HookPaths }): string {
  const status = nameIn(toObject(reply)["mode"]) === undefined ? undefined : (reply as SessionStatus);
  const problem = reply === undefined ? serverProblem(paths) : undefined;
  if (problem !== undefined) return `phasekit is off: ${problem}`;
  // Events that wait found no server: the next one that does brings them in.
  const since = reply === undefined ? spooledSince(paths) : undefined;
  return since === undefined
    ? renderStatusLine(status, host)
    : `phasekit: blind since ${new Date(since).toTimeString().slice(0, 5)}`;
}
