import type { NewEvent } from "@phasekit/core";
import { createTranslation, type TranscriptItem } from "@phasekit/transcripts";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";

/** The events of an agent's own log, or why they are not read. */
export type OwnLog = { readonly events: readonly NewEvent[] } | { readonly why: string };

/** Options for `readOwnLog()`. All optional. */
export interface OwnLogOptions {
  /** @default 16 MiB */
  readonly maxBytes?: number;
  /** How long the agent waits for it at most. @default until it is read */
  readonly limitMs?: number;
  /** The user whose logs are read. @default the one of this process */
  readonly uid?: number | undefined;
}

const CHUNK = 256 * 1024;
const MEGABYTE = 1024 * 1024;

/**
 * Reads the events of a session from the log that its agent keeps. A log that is too large, too slow, of another user
 * or of another session is not used.
 */
export async function readOwnLog(path: string, session: string, options: OwnLogOptions = {}): Promise<OwnLog> {
  try {
    return await readLog(path, session, options);
  } catch {
    return { why: "its log cannot be read" };
  }
}

async function readLog(
  path: string,
  session: string,
  { maxBytes = 16 * MEGABYTE, limitMs = Infinity, uid = process.getuid?.() }: OwnLogOptions,
): Promise<OwnLog> {
  const deadline = performance.now() + limitMs;
  // A pipe must not be waited for. Windows has no such flag: there it is undefined, which adds nothing.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile()) return { why: "its log is not a file" };
    if (uid !== undefined && found.uid !== uid) return { why: "its log belongs to another user" };
    if (found.size > maxBytes) return { why: `its log is larger than ${String(Math.round(maxBytes / MEGABYTE))} MB` };
    const translation = createTranslation({ name: session });
    const items: TranscriptItem[] = [];
    const decoder = new TextDecoder();
    const buffer = Buffer.alloc(CHUNK);
    for (let at = 0; at < found.size;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK, at);
      if (bytesRead === 0) break;
      at += bytesRead;
      items.push(...translation.push(decoder.decode(buffer.subarray(0, bytesRead), { stream: true })));
      if (performance.now() > deadline)
        return { why: `its log could not be read within ${String(Math.round(limitMs))} ms` };
      // Other sessions are served between two parts.
      await setImmediate();
    }
    items.push(...translation.end());
    return eventsOf(items, session);
  } finally {
    await file.close();
  }
}

/** The events of the session itself: sub-agents have runs of their own. */
function eventsOf(items: readonly TranscriptItem[], session: string): OwnLog {
  const main = items.flatMap((item) => (item.type === "run" && item.run.parent === undefined ? [item.run.id] : []));
  if (!main.includes(session)) return { why: "its log is about another session" };
  return { events: items.flatMap((item) => (item.type === "event" && item.run === session ? [item.event] : [])) };
}
