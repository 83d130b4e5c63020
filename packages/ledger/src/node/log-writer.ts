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
  return new Writer(options);
}

class Writer implements LogWriter {
  readonly #options: LogWriterOptions;
  readonly #run: string;
  readonly #lock: Lock;
  readonly #tail: LogTail;
  readonly #waiters = createWaiters();
  #flushes = 0;
  /** Events in the queue that no caller waits for. */
  #untold = 0;
  #droppedEvents = 0;
  #scheduled = false;
  #syncing = false;
  #dead: Error | undefined;

  constructor(options: LogWriterOptions) {
    this.#options = options;
    const { files, folder, run } = options;
    this.#run = run;
    try {
      for (const path of [folder.root, folder.epochs, folder.log]) files.makeFolder(path);
      this.#lock = takeLock(options);
      const place = findEnd({ files, folder, run: run, epoch: this.#lock.epoch });
      this.#tail = createLogTail({
        ...options,
        lock: this.#lock,
        place,
        whyLost: this.#whyLost,
        onFailure: (cause) => options.onError(storeUnavailable(run, cause)),
      });
      files.syncFolder(folder.log);
      noteSegment(files, folder, segmentName({ epoch: this.#lock.epoch, part: 1 }));
      for (const path of [folder.epochs, folder.root, join(folder.root, "..")]) files.syncFolder(path);
    } catch (error) {
      throw isPhasekitError(error) ? error : storeUnavailable(run, error);
    }
  }

  readonly append = (
    events: readonly RunEvent[],
    { after, level }: { readonly after: number; readonly level: Level },
  ): Promise<void> => {
    if (this.#dead !== undefined) return Promise.reject(this.#dead);
    let seq = after + events.length;
    try {
      // A step that was written but whose append failed may be sent again: it is already there, word for word.
      if (after >= this.#tail.end() || !this.#tail.holds(events, after)) {
        if (after !== this.#tail.end()) throw appendConflict(this.#run, { after, end: this.#tail.end() });
        this.#tail.add(events);
        seq = this.#tail.end();
        if (level === "memory") this.#untold += events.length;
      }
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
    const waiting = level === "memory" ? Promise.resolve() : this.#waiters.wait(seq, { level, flush: this.#flushes });
    if (beginsAttempt(events)) this.flushSync();
    else if (this.#tail.pendingBytes() >= FLUSH_BYTES) this.#writePending();
    this.#schedule();
    return waiting;
  };

  readonly flushSync = (): void => {
    if (this.#dead !== undefined) return;
    if (this.#tail.pendingBytes() > 0) this.#writePending();
    else if (!this.#tail.hasFile()) this.#serve();
    this.#syncNow();
  };

  readonly flush: LogWriter["flush"] = async () => {
    this.#flushNow();
    if (this.#dead !== undefined) return;
    if (this.#tail.unsyncedBytes() > 0) {
      const waiting = this.#waiters.wait(this.#tail.written(), { level: "disk", flush: this.#flushes });
      this.#serve();
      await waiting;
    }
    this.#tail.mark();
  };

  readonly close: LogWriter["close"] = () => {
    this.flushSync();
    this.#waiters.fail(storeUnavailable(this.#run, new Error("the store was closed")));
    this.#tail.close();
    this.#dead = storeUnavailable(this.#run, new Error("the store was closed"));
    try {
      this.#lock.release(this.#tail.durable());
    } catch (error) {
      // The run stays locked until this process is gone, which anyone can see.
      this.#options.onError(error);
    }
  };

  readonly dropped: LogWriter["dropped"] = () => this.#droppedEvents;

  /** Everything that is appended before the present code gives way goes into one write and one sync. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    void turn.then(this.#endOfTurn);
  }

  readonly #endOfTurn = (): void => {
    this.#scheduled = false;
    this.#flushNow();
  };

  #flushNow(): void {
    if (this.#dead !== undefined) return;
    if (this.#tail.pendingBytes() === 0) this.#serve();
    else if (this.#writePending() && this.#waiters.any()) this.#sync();
  }

  #writePending(): boolean {
    try {
      this.#tail.write();
    } catch (error) {
      if (isLost(error)) this.#die(error);
      else this.#refuse(error);
      return false;
    }
    this.#flushes += 1;
    this.#untold = 0;
    const why = this.#flushes % LOOK_EVERY === 0 ? this.#tail.whyLost() : undefined;
    if (why !== undefined) this.#die(why);
    else this.#settle();
    if (this.#tail.unsyncedBytes() >= MAX_UNSYNCED_BYTES) this.#syncNow();
    else if (this.#tail.unsyncedBytes() >= UNSYNCED_BYTES) this.#sync();
    return this.#dead === undefined;
  }

  /**
   * Forgets the queue. Those that wait for the disk cannot be served either, but what they wrote stays and may be sent
   * again.
   */
  #refuse(cause: unknown): void {
    this.#tail.takeBack();
    // No caller waits for events acknowledged at level memory; they are counted.
    this.#droppedEvents += this.#untold;
    this.#untold = 0;
    this.#waiters.fail(storeUnavailable(this.#run, cause));
  }

  /** A caller waits for what is written already: on a file that failed meanwhile, it has to be written again. */
  #serve(): void {
    this.#settle();
    if (!this.#waiters.any()) return;
    if (this.#tail.hasFile()) this.#sync();
    else this.#goOnDisk(this.#tail.moveOn);
  }

  /** Makes sure of the disk, one way or the other, and answers everybody. */
  #goOnDisk(make: () => void): void {
    try {
      make();
      this.#settle();
    } catch (error) {
      if (isLost(error)) this.#die(error);
      else this.#waiters.fail(storeUnavailable(this.#run, error));
    }
  }

  /** Nothing more can be stored by this process, and no caller is left waiting. */
  #die(why: Error): void {
    this.#dead = why;
    this.#options.onError(why);
    this.#waiters.fail(why);
  }

  #sync(): void {
    if (this.#dead !== undefined || this.#syncing || !this.#tail.hasFile()) return;
    this.#syncing = true;
    this.#tail.syncLater().then(this.#synced, (error: unknown) => {
      this.#syncing = false;
      this.#waiters.fail(storeUnavailable(this.#run, error));
    });
  }

  readonly #synced = (outcome: SyncOutcome): void => {
    this.#syncing = false;
    if (outcome.kind === "lost") {
      this.#die(outcome.why);
      return;
    }
    this.#settle();
    // If the log moved to another file meanwhile, whoever waits now waits for that one.
    if (outcome.kind === "moved") this.#serve();
    else if (this.#waiters.anyForDisk(this.#tail.written()) || this.#tail.unsyncedBytes() >= UNSYNCED_BYTES)
      this.#sync();
  };

  /**
   * A process that lost its run may still write its file; what it wrote must not be acknowledged as being on the disk.
   */
  readonly #whyLost = (): Error | undefined => {
    if (this.#lock.isSuperseded()) return writerSuperseded(this.#run);
    return this.#lock.isRemoved() ? runRemoved(this.#run) : undefined;
  };

  #settle(): void {
    this.#waiters.settle({ written: this.#tail.written(), durable: this.#tail.durable() });
  }

  #syncNow(): void {
    if (this.#dead === undefined && this.#tail.unsyncedBytes() > 0) this.#goOnDisk(this.#tail.sync);
  }
}

function beginsAttempt(events: readonly RunEvent[]): boolean {
  return events.some(({ type }) => type === "run.started" || type === "run.resumed");
}
