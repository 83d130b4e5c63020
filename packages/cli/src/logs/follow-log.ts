import type { RunEvent, RunOptions } from "@phasekit/core";
import { createTranslation, type TranscriptRun } from "@phasekit/transcripts";
import { open, readFile, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { unreadableLog } from "../errors.ts";
import { createPlayer } from "./play-items.ts";

/** Options for `followLog()`. */
export interface FollowOptions {
  readonly show: (events: readonly RunEvent[], about: TranscriptRun) => void;
  readonly runOptions: RunOptions;
  /** Stops following; so does a file that shrinks, disappears or is replaced. */
  readonly signal: AbortSignal;
  /** Called when everything that was written so far has been shown. */
  readonly onIdle?: () => void;
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

/** Follows JSON lines: reads each byte once, and keeps only open runs in memory. */
export async function followLines(
  path: string,
  { show, runOptions, signal, onIdle, pollMs = 300 }: FollowOptions,
): Promise<void> {
  const translation = createTranslation();
  const player = createPlayer({
    story: noStory,
    runOptions,
    onStep: (about, step) => {
      show(step, about);
    },
  });
  const take = (items: ReturnType<typeof translation.push>): void => {
    for (const item of items) player.take(item);
  };
  const decoder = new TextDecoder();
  const file = await open(path);
  const buffer = Buffer.alloc(CHUNK);
  try {
    const { ino } = await file.stat();
    for (let at = 0; ;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK, at);
      at += bytesRead;
      const text = decoder.decode(buffer.subarray(0, bytesRead), { stream: true });
      if (text !== "") take(translation.push(text));
      if (bytesRead === CHUNK && !signal.aborted) continue;
      // Fill the sample of a short log with blank lines, which mean nothing in JSON lines.
      if (translation.format() === undefined && text.endsWith("\n")) take(translation.push("\n".repeat(SAMPLE)));
      onIdle?.();
      if (signal.aborted) break;
      const now = await stat(path).catch(() => undefined);
      if (now === undefined || now.size < at || now.ino !== ino) break;
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
      const events: { readonly event: RunEvent; readonly about: TranscriptRun }[] = [];
      const translation = createTranslation();
      const player = createPlayer({
        story: noStory,
        runOptions,
        onStep: (about, step) => {
          events.push(...step.map((event) => ({ event, about })));
        },
      });
      for (const item of [...translation.push(await readFile(path, "utf8")), ...translation.end()]) player.take(item);
      // A document that may still grow has no end yet.
      const known = isLast ? events : events.filter(({ event }) => event.type !== "run.finished");
      for (const { event, about } of known.slice(shown)) show([event], about);
      shown = known.length;
    }
    if (!isLast) await pause(pollMs, signal);
  }
}

/** True if the first line is a JSON value of its own. */
export async function isLines(path: string): Promise<boolean> {
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
