// Imported by the hook command: no imports but these.
import { type LooseObject, toObject } from "@phasekit/core/kit";
import type { SessionStatus } from "@phasekit/hooks";
import { renderStatusLine } from "./status-line.ts";
import { askServer } from "./ask-server.ts";
import { hookPaths } from "./hook-paths.ts";

const LIMIT_MS = 300;

/**
 * The status line for what an agent writes to its status command: JSON with its session and, in Claude Code, its cost.
 */
export async function readStatusLine(
  input: string,
  { socket }: { readonly socket: string } = hookPaths(),
): Promise<string> {
  const host = parsed(input);
  const { session_id: session } = host;
  // Without a session, the newest one of this folder.
  const choice = typeof session === "string" ? { session } : { cwd: process.cwd() };
  const request = { op: "status", ...choice };
  const reply = parsed(await askServer(socket, JSON.stringify(request), LIMIT_MS).catch(() => ""));
  const status = "mode" in reply ? (reply as unknown as SessionStatus) : undefined;
  return renderStatusLine(status, host);
}

function parsed(text: string): LooseObject {
  try {
    return toObject(JSON.parse(text));
  } catch {
    // A status line without one of its parts is still one.
    return {};
  }
}
