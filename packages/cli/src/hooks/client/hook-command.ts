// The hook command starts for every event: it imports nothing that is not needed to ask the server.
import { appendFileSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { exchange, NoServer } from "./exchange.ts";
import { isFinish } from "./is-finish.ts";
import type { HookPaths } from "./hook-paths.ts";
import { rootProblem } from "./root-problem.ts";

/** Options for `runHookCommand()`. */
export interface HookCommandOptions {
  readonly agent: string;
  /** The event's name, for agents whose payload has none. */
  readonly event?: string;
  /** The payload, as the agent wrote it. */
  readonly payload: Buffer;
  readonly paths: HookPaths;
  readonly clock?: () => number;
  /** How long the whole command may take from now. */
  readonly limitMs: number;
  /** Time for a finish, where the agent has nothing else to do. @default `limitMs` */
  readonly finishLimitMs?: number;
  /** Starts the server, also in the place of one that hangs; called at most once. */
  readonly startServer: () => Promise<void>;
  /** Receives a function that keeps the event for later, for a process that has to leave before the answer. */
  readonly onPending?: (keep: () => void) => void;
  /** The sender of many events. @default a process that sends this one */
  readonly sender?: EventSender;
}

/** One of Phasekit's programs that sends many events from inside the agent's process. */
interface EventSender {
  /** Unlike that of any other. */
  readonly sender: string;
  /** The agent's process. */
  readonly pid: number;
}

/** An event without its payload. */
interface EventHead extends Partial<EventSender> {
  /** Equal for an event that is sent again, or read from the spool. */
  readonly id: string;
  readonly agent: string;
  readonly event?: string;
  /** When the agent sent it. */
  readonly at: number;
  /** Until when it waits for the answer. */
  readonly until: number;
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
  limitMs: usualMs,
  finishLimitMs = usualMs,
  startServer,
  onPending,
  sender,
}: HookCommandOptions): Promise<string> {
  // Another user may listen there, or read along.
  if (rootProblem(paths) !== undefined) return "";
  const at = clock();
  const limitMs = isFinish(event, payload) ? finishLimitMs : usualMs;
  const deadline = at + limitMs;
  // The server may take the event after we gave up on it; the id tells it that the spool has the same one.
  const id = `${String(process.pid)}-${String(at)}-${String((sent += 1))}`;
  const head: EventHead = { id, agent, at, until: deadline, ...(event !== undefined && { event }), ...sender };
  onPending?.(() => keepForLater(paths, head, payload));
  let hasStarted = false;
  const start = (): Promise<void> => {
    if (hasStarted) return Promise.resolve();
    hasStarted = true;
    return startServer().catch(() => undefined);
  };
  for (let left = limitMs; left > 0; left = deadline - clock()) {
    try {
      return await exchange(
        { head, body: payload },
        {
          address: paths.socket,
          limitMs: left,
          noticeMs: Math.min(left, usualMs),
          onSilence: () => void start(),
          ...(paths.mustProve && { readKey: () => readFileSync(paths.key, "utf8") }),
        },
      );
    } catch (error) {
      if (!(error instanceof NoServer) || !error.isAbsent) break;
      await start();
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  keepForLater(paths, head, payload);
  return "";
}

/** Appends the event to the spool, which the server reads at its next start. */
function keepForLater({ spool }: HookPaths, head: EventHead, payload: Buffer): void {
  try {
    // One event is one line, also if the agent printed its JSON over several. What is not JSON is not an event.
    const line = `${JSON.stringify({ ...head, payload: JSON.parse(payload.toString("utf8")) as unknown })}\n`;
    mkdirSync(dirname(spool), { recursive: true, mode: 0o700 });
    if ((statSync(spool, { throwIfNoEntry: false })?.size ?? 0) + line.length > MAX_SPOOL) return;
    appendFileSync(spool, line, { mode: 0o600 });
  } catch {
    // Nothing may reach the agent.
  }
}
