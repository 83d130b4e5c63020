// The hook command starts for every event: it imports nothing that is not needed to ask the server.
import { appendFileSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { askServer, NoServer } from "./ask-server.ts";
import type { HookPaths } from "./hook-paths.ts";

export interface HookCommandOptions {
  readonly agent: string;
  /** The event's name, for agents whose payload has none. */
  readonly event?: string;
  /** The payload, as the agent wrote it. */
  readonly payload: string;
  readonly paths: HookPaths;
  readonly clock?: () => number;
  /** How long the whole command may take from now. */
  readonly limitMs: number;
  /** Starts the server; called at most once. */
  readonly startServer: () => Promise<void>;
  /** Receives a function that keeps the event for later, for a process that has to leave before the answer. */
  readonly onPending?: (keep: () => void) => void;
}

const MAX_SPOOL = 16 * 1024 * 1024;
const RETRY_MS = 20;
let sent = 0;

/**
 * Asks the local server about one hook event and resolves with what to print. Starts the server if there is none.
 * On any failure the answer is empty, the agent continues, and the event waits in the spool.
 */
export async function runHookCommand({
  agent,
  event,
  payload,
  paths,
  clock = Date.now,
  limitMs,
  startServer,
  onPending,
}: HookCommandOptions): Promise<string> {
  const at = clock();
  const deadline = at + limitMs;
  // The server may take the event after we gave up on it; the id tells it that the spool has the same one.
  const id = `${String(process.pid)}-${String(at)}-${String((sent += 1))}`;
  const head = JSON.stringify({ op: "hook", id, agent, ...(event !== undefined && { event }), at });
  // The payload is JSON already; parsing a large one here would only cost time.
  const request = `${head.slice(0, -1)},"payload":${payload.trim() === "" ? "null" : payload}}`;
  onPending?.(() => keepForLater(paths, request));
  let hasStarted = false;
  for (;;) {
    const left = deadline - clock();
    if (left <= 0) break;
    try {
      return await askServer(paths.socket, request, left);
    } catch (error) {
      if (!(error instanceof NoServer) || !error.isAbsent) break;
      if (!hasStarted) {
        hasStarted = true;
        await startServer().catch(() => undefined);
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  keepForLater(paths, request);
  return "";
}

/** Appends the event to the spool, which the server reads at its next start. */
function keepForLater({ spool }: HookPaths, request: string): void {
  try {
    // One event is one line, also if the agent printed its JSON over several.
    const line = JSON.stringify(JSON.parse(request));
    mkdirSync(dirname(spool), { recursive: true, mode: 0o700 });
    if ((statSync(spool, { throwIfNoEntry: false })?.size ?? 0) + line.length > MAX_SPOOL) return;
    appendFileSync(spool, `${line}\n`, { mode: 0o600 });
  } catch {
    // Nothing may reach the agent.
  }
}
