import type { RunEvent, RunOptions } from "@phasekit/core";
import { createTranslation } from "@phasekit/transcripts";
import { open, readFile, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { unreadableLog } from "../errors.ts";
import { createPlayer } from "./play-items.ts";

/** Options for `followLog()`. */
export interface FollowOptions {
  readonly show: (events: readonly RunEvent[]) => void;
  readonly runOptions: RunOptions;
  /** Stops following; so does a file that shrinks or disappears. */
  readonly signal: AbortSignal;
  /** @default 300 */
  readonly pollMs?: number;
}

const CHUNK = 256 * 1024;
/** The translation reads this many bytes before it detects the format. */
const SAMPLE = 256 * 1024;

/**
 * Follows a log of another tool. Reads JSON lines from where they grow; rereads a whole document when it changes.
 * @throws UNREADABLE_LOG
 */
export async function followLog(path: string, options: FollowOptions): Promise<void> {
  try {
    await ((await isLines(path)) ? followLines(path, options) : followDocument(path, options));
  } catch (error) {
    throw unreadableLog(path, error instanceof Error ? error.message : String(error));
  }
}

async function followLines(path: string, { show, runOptions, signal, pollMs = 300 }: FollowOptions): Promise<void> {
  const translation = createTranslation();
  const player = createPlayer({
    story: noStory,
    runOptions,
    onStep: (_about, step) => {
      show(step);
    },
  });
  const take = (items: ReturnType<typeof translation.push>): void => {
    for (const item of items) player.take(item);
  };
  const decoder = new TextDecoder();
  const file = await open(path);
  try {
    for (let at = 0; ;) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(CHUNK), 0, CHUNK, at);
      at += bytesRead;
      const text = decoder.decode(buffer.subarray(0, bytesRead), { stream: true });
      if (text !== "") take(translation.push(text));
      if (bytesRead === CHUNK) continue;
      // Fill the sample of a short log with blank lines, which mean nothing in JSON lines.
      if (translation.format() === undefined && text.endsWith("\n")) take(translation.push("\n".repeat(SAMPLE)));
      if (signal.aborted || (await stat(path)).size < at) break;
      await pause(pollMs, signal);
    }
    take(translation.end());
  } finally {
    await file.close();
  }
}

async function followDocument(path: string, { show, runOptions, signal, pollMs = 300 }: FollowOptions): Promise<void> {
  let shown = 0;
  let seen = 0;
  for (let isLast = false; !isLast;) {
    isLast = signal.aborted;
    const { mtimeMs } = await stat(path);
    if (mtimeMs !== seen || isLast) {
      seen = mtimeMs;
      const events: RunEvent[] = [];
      const translation = createTranslation();
      const player = createPlayer({
        story: noStory,
        runOptions,
        onStep: (_about, step) => {
          events.push(...step);
        },
      });
      for (const item of [...translation.push(await readFile(path, "utf8")), ...translation.end()]) player.take(item);
      // A document that may still grow has no end yet.
      const known = isLast ? events : events.filter(({ type }) => type !== "run.finished");
      show(known.slice(shown));
      shown = known.length;
    }
    if (!isLast) await pause(pollMs, signal);
  }
}

/** True if the first line is a JSON value of its own. */
async function isLines(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(CHUNK), 0, CHUNK, 0);
    const text = buffer.toString("utf8", 0, bytesRead);
    const end = text.indexOf("\n");
    // A first line longer than a chunk is taken for JSON lines.
    if (end === -1) return bytesRead === CHUNK || path.endsWith("l");
    JSON.parse(text.slice(0, end));
    return true;
  } catch {
    return false;
  } finally {
    await file.close();
  }
}

const noStory = (): { readonly add: () => void; readonly get: () => undefined } => ({
  add: () => undefined,
  get: () => undefined,
});

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
