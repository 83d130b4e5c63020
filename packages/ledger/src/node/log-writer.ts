import { isPhasekitError, type RunEvent } from "@phasekit/core";
import { join } from "node:path";
import { checkAppend } from "../check-append.ts";
import { invalidAppend, storeUnavailable, writerSuperseded } from "../errors.ts";
import { encodeEvents } from "./event-lines.ts";
import type { FileSystem } from "./file-system.ts";
import { findEnd } from "./find-end.ts";
import type { Processes } from "./process-identity.ts";
import type { RunFolder } from "./run-folder.ts";
import { type Lock, takeLock } from "./run-lock.ts";
import { createSegment, type Segment, type SegmentPlace } from "./segment-writer.ts";
import { createUnsyncedSteps, type Step } from "./unsynced-steps.ts";
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
const MAX_EVENT_BYTES = 64 * 1024 * 1024;

/**
 * Opens a run for writing: takes the lock, finds the valid end of the log from its last mark on, sets aside what a
 * crash left behind it, and starts a segment of its own. Never appends to a file this process did not create.
 * @throws RUN_LOCKED, STORE_DAMAGED, STORE_UNAVAILABLE
 */
export function openLogWriter(options: LogWriterOptions): LogWriter {
  const { files, folder, run } = options;
  let lock: Lock;
  let segment: Segment | undefined;
  let place: SegmentPlace;
  try {
    for (const path of [folder.root, folder.epochs, folder.log]) files.makeFolder(path);
    lock = takeLock(options);
    place = findEnd({ files, folder, run, epoch: lock.epoch });
    segment = createSegment(options, { ...place, epoch: lock.epoch, part: 1, writer: lock.owner.nonce });
    for (const path of [folder.log, folder.epochs, folder.root, join(folder.root, "..")]) files.syncFolder(path);
  } catch (error) {
    throw isPhasekitError(error) ? error : storeUnavailable(run, error);
  }

  let part = 1;
  let end = place.after;
  let written = end;
  let durable = end;
  let durablePlace: SegmentPlace = place;
  let pending: Step[] = [];
  let pendingBytes = 0;
  const unsynced = createUnsyncedSteps();
  const waiters = createWaiters();
  let scheduled = false;
  let syncing = false;
  let dead: Error | undefined;
  let droppedEvents = 0;

  function append(events: readonly RunEvent[], { after, level }: { readonly after: number; readonly level: Level }): Promise<void> {
    if (dead !== undefined) return Promise.reject(dead);
    const again = after < end ? sameAgain(events, after) : undefined;
    if (again === undefined) {
      try {
        checkAppend(run, events, { after, end });
        queue(events);
      } catch (error) {
        return Promise.reject(error instanceof Error ? error : new Error(String(error)));
      }
    }
    const seq = again ?? end;
    const waiting = level === "memory" ? Promise.resolve() : waiters.wait(seq, level);
    if (beginsAttempt(events)) flushSync();
    else if (pendingBytes >= FLUSH_BYTES) flushNow();
    else schedule();
    return waiting;
  }

  /** A step that was written but whose append failed may be sent again: it is already there, word for word. */
  function sameAgain(events: readonly RunEvent[], after: number): number | undefined {
    const found = unsynced.all().find(({ first }) => first === after + 1);
    return found !== undefined && found.last === after + events.length && found.text === encodeEvents(events) ? found.last : undefined;
  }

  function queue(events: readonly RunEvent[]): void {
    const text = encodeEvents(events);
    if (text.length > MAX_EVENT_BYTES) throw invalidAppend(run, `they take more than ${String(MAX_EVENT_BYTES)} bytes`);
    pending.push({ first: end + 1, last: end + events.length, text });
    pendingBytes += text.length;
    end += events.length;
  }

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    // Everything that is appended before the present code gives way goes into one write.
    queueMicrotask(() => {
      scheduled = false;
      flushNow();
    });
  }

  function flushNow(): void {
    if (dead !== undefined) return;
    if (pending.length === 0) serve();
    else if (writePending()) {
      if (unsynced.size() >= MAX_UNSYNCED_BYTES) syncNow();
      else if (unsynced.size() >= UNSYNCED_BYTES || waiters.any()) sync();
    }
  }

  /** Writes the queue as one flush. On failure the log moves to a new file; if that fails too, the appends do. */
  function writePending(): boolean {
    const batch = pending;
    pending = [];
    pendingBytes = 0;
    try {
      if (segment === undefined) moveOn();
      else if (segment.bytes() >= options.segmentBytes) rotate();
      segment?.write(batch, durable);
    } catch (error) {
      try {
        abandon(error);
        moveOn();
        segment?.write(batch, durable);
      } catch (second) {
        abandon(second);
        refuse(batch, second);
        return false;
      }
    }
    unsynced.add(batch);
    written = batch.at(-1)?.last ?? written;
    settle();
    return true;
  }

  /** Somebody waits for what is written already: on a file that failed meanwhile, it has to be written again. */
  function serve(): void {
    settle();
    if (!waiters.any()) return;
    if (segment !== undefined) {
      sync();
      return;
    }
    try {
      moveOn();
      settle();
    } catch (error) {
      abandon(error);
      waiters.fail(storeUnavailable(run, error));
    }
  }

  function refuse(batch: readonly Step[], cause: unknown): void {
    const error = storeUnavailable(run, cause);
    const from = batch[0]?.first ?? end + 1;
    const wasTold = waiters.fail(error, { from });
    // What was acknowledged at level memory has nobody to tell; it is counted.
    for (const { first, last } of batch) if (!wasTold(last)) droppedEvents += last - first + 1;
    end = from - 1;
    // Those that wait for the disk cannot be served either, but what they wrote stays and may be sent again.
    waiters.fail(error);
  }

  /** Lets go of a file that failed. It is never written or synced again. */
  function abandon(cause: unknown): void {
    if (segment === undefined) return;
    options.onProblem(storeUnavailable(run, cause));
    const old = segment;
    segment = undefined;
    old.close();
  }

  /** A new file that goes on from the last point known to be on the disk, with everything since written again. */
  function moveOn(): void {
    part += 1;
    segment = createSegment(options, { ...durablePlace, epoch: lock.epoch, part, writer: lock.owner.nonce });
    if (unsynced.all().length > 0) segment.write(unsynced.all(), durable);
    segment.sync();
    files.syncFolder(folder.log);
    covered(written, segment.place(written));
  }

  function rotate(): void {
    if (segment === undefined) return;
    segment.sync();
    covered(written, segment.place(written));
    segment.close();
    segment = undefined;
    moveOn();
  }

  function sync(): void {
    if (syncing || segment === undefined) return;
    const current = segment;
    const seq = written;
    const at = current.place(seq);
    syncing = true;
    files.syncLater(current.file).then(
      () => synced({ current, seq, at }),
      (error: unknown) => unsyncable(current, error),
    );
  }

  function synced({ current, seq, at }: { readonly current: Segment; readonly seq: number; readonly at: SegmentPlace }): void {
    syncing = false;
    if (segment !== current) {
      // The log moved to another file meanwhile; whoever waits now waits for that one.
      serve();
      return;
    }
    if (lock.isSuperseded()) {
      dead = writerSuperseded(run);
      options.onProblem(dead);
      waiters.fail(dead);
      return;
    }
    // A sync that was asked for later may have been answered before this one.
    if (seq > durable) covered(seq, at);
    settle();
    if (waiters.anyForDisk(written) || unsynced.size() >= UNSYNCED_BYTES) sync();
  }

  /** A sync that failed may report success the next time although the bytes are gone: never ask that file again. */
  function unsyncable(current: Segment, error: unknown): void {
    syncing = false;
    if (segment !== current) {
      serve();
      return;
    }
    try {
      abandon(error);
      moveOn();
      settle();
    } catch (second) {
      abandon(second);
      waiters.fail(storeUnavailable(run, second));
    }
  }

  function covered(seq: number, at: SegmentPlace): void {
    durable = seq;
    durablePlace = at;
    unsynced.covered(seq);
    segment?.mark(at);
  }

  function settle(): void {
    waiters.settle({ written, durable });
  }

  function flushSync(): void {
    if (dead !== undefined) return;
    if (pending.length > 0) writePending();
    else if (segment === undefined) serve();
    syncNow();
  }

  function syncNow(): void {
    if (segment === undefined || dead !== undefined || durable === written) return;
    try {
      segment.sync();
      covered(written, segment.place(written));
    } catch (error) {
      unsyncable(segment, error);
    }
    settle();
  }

  return {
    append,
    flushSync,
    flush: async () => {
      flushNow();
      if (durable === written || dead !== undefined) return;
      const waiting = waiters.wait(written, "disk");
      serve();
      await waiting;
    },
    close: () => {
      flushSync();
      waiters.fail(storeUnavailable(run, new Error("the store was closed")));
      segment?.close();
      segment = undefined;
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
