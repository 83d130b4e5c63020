import { isPhasekitError, type RunEvent } from "@phasekit/core";
import { join } from "node:path";
import { checkAppend } from "../check-append.ts";
import { runRemoved, storeUnavailable, writerSuperseded } from "../errors.ts";
import type { FileSystem } from "./file-system.ts";
import { findEnd } from "./find-end.ts";
import { createLogTail, type LogTail, type SyncOutcome } from "./log-tail.ts";
import type { Processes } from "./process-identity.ts";
import type { RunFolder } from "./run-folder.ts";
import { type Lock, takeLock } from "./run-lock.ts";
import { createWaiters, type Level } from "./waiters.ts";

export interface LogWriterOptions {
  readonly files: FileSystem;
  readonly processes: Processes;
  readonly clock: () => number;
  readonly folder: RunFolder;
  readonly run: string;
  readonly takeOver: boolean;
  readonly segmentBytes: number;
  /** Told when the log had to move to a new file, and why. */
  readonly onProblem: (problem: unknown) => void;
}

/** The one writer of a run in this process. */
export interface LogWriter {
  /** Takes events; the promise says when their level is reached. */
  readonly append: (events: readonly RunEvent[], options: { readonly after: number; readonly level: Level }) => Promise<void>;
  /** Writes what is queued and waits until it is on the disk. */
  readonly flush: () => Promise<void>;
  /** The same without waiting: for the last moment of a process. */
  readonly flushSync: () => void;
  readonly close: () => void;
  readonly dropped: () => number;
}

const FLUSH_BYTES = 64 * 1024;
/** So much may be written and not yet on the disk. */
const UNSYNCED_BYTES = 1024 * 1024;
/** A disk that is slower than the agent makes the agent wait here, so that memory stays bounded. */
const MAX_UNSYNCED_BYTES = 8 * UNSYNCED_BYTES;
/** How often to look whether the folder is still there. */
const LOOK_EVERY_MS = 100;

const turn = Promise.resolve();

/**
 * Opens a run for writing: takes the lock, finds the valid end of the log from its last mark on, sets aside what a
 * crash left behind it, and starts a segment of its own. Never appends to a file this process did not create.
 * @throws RUN_LOCKED, STORE_DAMAGED, STORE_UNAVAILABLE
 */
export function openLogWriter(options: LogWriterOptions): LogWriter {
  const { files, folder, run } = options;
  let lock: Lock;
  let tail: LogTail;
  try {
    for (const path of [folder.root, folder.epochs, folder.log]) files.makeFolder(path);
    lock = takeLock(options);
    const place = findEnd({ files, folder, run, epoch: lock.epoch });
    tail = createLogTail({ ...options, lock, place, onFailure: (cause) => options.onProblem(storeUnavailable(run, cause)) });
    for (const path of [folder.log, folder.epochs, folder.root, join(folder.root, "..")]) files.syncFolder(path);
  } catch (error) {
    throw isPhasekitError(error) ? error : storeUnavailable(run, error);
  }

  const waiters = createWaiters();
  let flushes = 0;
  /** Events in the queue that nobody waits for. */
  let untold = 0;
  let droppedEvents = 0;
  let lastLook = options.clock();
  let scheduled = false;
  let syncing = false;
  let dead: Error | undefined;

  function append(events: readonly RunEvent[], { after, level }: { readonly after: number; readonly level: Level }): Promise<void> {
    if (dead !== undefined) return Promise.reject(dead);
    let seq = after + events.length;
    try {
      // A step that was written but whose append failed may be sent again: it is already there, word for word.
      if (after >= tail.end() || !tail.holds(events, after)) {
        checkAppend(run, events, { after, end: tail.end() });
        tail.add(events);
        seq = tail.end();
        if (level === "memory") untold += events.length;
      }
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
    const waiting = level === "memory" ? Promise.resolve() : waiters.wait(seq, { level, flush: flushes });
    if (beginsAttempt(events)) flushSync();
    else if (tail.pendingBytes() >= FLUSH_BYTES) writePending();
    schedule();
    return waiting;
  }

  /** Everything that is appended before the present code gives way goes into one write and one sync. */
  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    void turn.then(endOfTurn);
  }

  function endOfTurn(): void {
    scheduled = false;
    flushNow();
  }

  function flushNow(): void {
    if (dead !== undefined) return;
    if (tail.pendingBytes() === 0) serve();
    else if (writePending() && waiters.any()) sync();
  }

  function writePending(): boolean {
    try {
      tail.write();
    } catch (error) {
      refuse(error);
      return false;
    }
    flushes += 1;
    untold = 0;
    settle();
    if (tail.unsyncedBytes() >= MAX_UNSYNCED_BYTES) syncNow();
    else if (tail.unsyncedBytes() >= UNSYNCED_BYTES) sync();
    return true;
  }

  /** Forgets the queue. Those that wait for the disk cannot be served either, but what they wrote stays and may be sent again. */
  function refuse(cause: unknown): void {
    tail.takeBack();
    // What was acknowledged at level memory has nobody to tell; it is counted.
    droppedEvents += untold;
    untold = 0;
    waiters.fail(storeUnavailable(run, cause));
  }

  /** Somebody waits for what is written already: on a file that failed meanwhile, it has to be written again. */
  function serve(): void {
    settle();
    if (!waiters.any()) return;
    if (tail.hasFile()) sync();
    else goOnDisk(tail.moveOn);
  }

  /** Makes sure of the disk, one way or the other, and answers everybody. */
  function goOnDisk(make: () => void): void {
    try {
      make();
      settle();
    } catch (error) {
      waiters.fail(storeUnavailable(run, error));
    }
  }

  function sync(): void {
    if (syncing || !tail.hasFile()) return;
    syncing = true;
    tail.syncLater(whyLost).then(synced, (error: unknown) => {
      syncing = false;
      waiters.fail(storeUnavailable(run, error));
    });
  }

  function synced(outcome: SyncOutcome): void {
    syncing = false;
    if (outcome.kind === "lost") {
      dead = outcome.why;
      options.onProblem(dead);
      waiters.fail(dead);
      return;
    }
    settle();
    // If the log moved to another file meanwhile, whoever waits now waits for that one.
    if (outcome.kind === "moved") serve();
    else if (waiters.anyForDisk(tail.written()) || tail.unsyncedBytes() >= UNSYNCED_BYTES) sync();
  }

  /** A process that lost its run may still write its file; what it wrote must not be acknowledged as being on the disk. */
  function whyLost(): Error | undefined {
    if (lock.isSuperseded()) return writerSuperseded(run);
    const now = options.clock();
    if (Math.abs(now - lastLook) < LOOK_EVERY_MS) return undefined;
    lastLook = now;
    return lock.isRemoved() ? runRemoved(run) : undefined;
  }

  function settle(): void {
    waiters.settle({ written: tail.written(), durable: tail.durable() });
  }

  function flushSync(): void {
    if (dead !== undefined) return;
    if (tail.pendingBytes() > 0) writePending();
    else if (!tail.hasFile()) serve();
    syncNow();
  }

  function syncNow(): void {
    if (dead === undefined && tail.unsyncedBytes() > 0) goOnDisk(tail.sync);
  }

  return {
    append,
    flushSync,
    flush: async () => {
      flushNow();
      if (dead !== undefined) return;
      if (tail.unsyncedBytes() > 0) {
        const waiting = waiters.wait(tail.written(), { level: "disk", flush: flushes });
        serve();
        await waiting;
      }
      tail.mark();
    },
    close: () => {
      flushSync();
      waiters.fail(storeUnavailable(run, new Error("the store was closed")));
      tail.close();
      dead = storeUnavailable(run, new Error("the store was closed"));
      try {
        lock.release();
      } catch (error) {
        // The run stays locked until this process is gone, which anyone can see.
        options.onProblem(error);
      }
    },
    dropped: () => droppedEvents,
  };
}

function beginsAttempt(events: readonly RunEvent[]): boolean {
  return events.some(({ type }) => type === "run.started" || type === "run.resumed");
}
