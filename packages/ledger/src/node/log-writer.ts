import { isPhasekitError, type RunEvent } from "@phasekit/core";
import { join } from "node:path";
import { appendConflict, runRemoved, storeUnavailable, writerSuperseded } from "../errors.ts";
import type { FileSystem } from "./file-system.ts";
import { findEnd } from "./find-end.ts";
import { createLogTail, isLost, type LogTail, type SyncOutcome } from "./log-tail.ts";
import { noteSegment } from "./noted-segments.ts";
import type { Processes } from "./process-identity.ts";
import type { RunFolder } from "./run-folder.ts";
import { type Lock, takeLock } from "./run-lock.ts";
import { segmentName } from "./segment-format.ts";
import { createWaiters, type Level } from "./waiters.ts";

export interface LogWriterOptions {
  readonly files: FileSystem;
  readonly processes: Processes;
  readonly clock: () => number;
  readonly folder: RunFolder;
  readonly run: string;
  readonly takeOver: boolean;
  readonly segmentBytes: number;
  /** Called when the log had to move to a new file, and why. */
  readonly onError: (problem: unknown) => void;
}

/** The one writer of a run in this process. */
export interface LogWriter {
  /** Takes events; the promise says when their level is reached. */
  readonly append: (
    events: readonly RunEvent[],
    options: { readonly after: number; readonly level: Level },
  ) => Promise<void>;
  /** Writes what is queued and waits until it is on the disk. */
  readonly flush: () => Promise<void>;
  /** Closes without waiting: for the last moment of a process. */
  readonly flushSync: () => void;
  readonly close: () => void;
  readonly dropped: () => number;
}

const FLUSH_BYTES = 64 * 1024;
/** So much may be written and not yet on the disk. */
const UNSYNCED_BYTES = 1024 * 1024;
/** A disk that is slower than the agent makes the agent wait here, so that memory stays bounded. */
const MAX_UNSYNCED_BYTES = 8 * UNSYNCED_BYTES;
/** Writes without a sync between two checks that the file is still there. */
const LOOK_EVERY = 64;

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
    tail = createLogTail({
      ...options,
      lock,
      place,
      whyLost,
      onFailure: (cause) => options.onError(storeUnavailable(run, cause)),
    });
    files.syncFolder(folder.log);
    noteSegment(files, folder, segmentName({ epoch: lock.epoch, part: 1 }));
    for (const path of [folder.epochs, folder.root, join(folder.root, "..")]) files.syncFolder(path);
  } catch (error) {
    throw isPhasekitError(error) ? error : storeUnavailable(run, error);
  }

  const waiters = createWaiters();
  let flushes = 0;
  /** Events in the queue that no caller waits for. */
  let untold = 0;
  let droppedEvents = 0;
  let scheduled = false;
  let syncing = false;
  let dead: Error | undefined;

  function append(
    events: readonly RunEvent[],
    { after, level }: { readonly after: number; readonly level: Level },
  ): Promise<void> {
    if (dead !== undefined) return Promise.reject(dead);
    let seq = after + events.length;
    try {
      // A step that was written but whose append failed may be sent again: it is already there, word for word.
      if (after >= tail.end() || !tail.holds(events, after)) {
        if (after !== tail.end()) throw appendConflict(run, { after, end: tail.end() });
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
      if (isLost(error)) die(error);
      else refuse(error);
      return false;
    }
    flushes += 1;
    untold = 0;
    const why = flushes % LOOK_EVERY === 0 ? tail.whyLost() : undefined;
    if (why !== undefined) die(why);
    else settle();
    if (tail.unsyncedBytes() >= MAX_UNSYNCED_BYTES) syncNow();
    else if (tail.unsyncedBytes() >= UNSYNCED_BYTES) sync();
    return dead === undefined;
  }

  /**
   * Forgets the queue. Those that wait for the disk cannot be served either, but what they wrote stays and may be sent
   * again.
   */
  function refuse(cause: unknown): void {
    tail.takeBack();
    // No caller waits for events acknowledged at level memory; they are counted.
    droppedEvents += untold;
    untold = 0;
    waiters.fail(storeUnavailable(run, cause));
  }

  /** A caller waits for what is written already: on a file that failed meanwhile, it has to be written again. */
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
      if (isLost(error)) die(error);
      else waiters.fail(storeUnavailable(run, error));
    }
  }

  /** Nothing more can be stored by this process, and no caller is left waiting. */
  function die(why: Error): void {
    dead = why;
    options.onError(why);
    waiters.fail(why);
  }

  function sync(): void {
    if (dead !== undefined || syncing || !tail.hasFile()) return;
    syncing = true;
    tail.syncLater().then(synced, (error: unknown) => {
      syncing = false;
      waiters.fail(storeUnavailable(run, error));
    });
  }

  function synced(outcome: SyncOutcome): void {
    syncing = false;
    if (outcome.kind === "lost") {
      die(outcome.why);
      return;
    }
    settle();
    // If the log moved to another file meanwhile, whoever waits now waits for that one.
    if (outcome.kind === "moved") serve();
    else if (waiters.anyForDisk(tail.written()) || tail.unsyncedBytes() >= UNSYNCED_BYTES) sync();
  }

  /**
   * A process that lost its run may still write its file; what it wrote must not be acknowledged as being on the disk.
   */
  function whyLost(): Error | undefined {
    if (lock.isSuperseded()) return writerSuperseded(run);
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
        lock.release(tail.durable());
      } catch (error) {
        // The run stays locked until this process is gone, which anyone can see.
        options.onError(error);
      }
    },
    dropped: () => droppedEvents,
  };
}

function beginsAttempt(events: readonly RunEvent[]): boolean {
  return events.some(({ type }) => type === "run.started" || type === "run.resumed");
}
