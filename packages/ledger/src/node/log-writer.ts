import { isPhasekitError, type RunEvent } from "@phasekit/core";
import { join } from "node:path";
import { checkAppend } from "../check-append.ts";
import { invalidAppend, runRemoved, storeUnavailable, writerSuperseded } from "../errors.ts";
import { encodeEvents } from "./event-lines.ts";
import type { FileSystem } from "./file-system.ts";
import { findEnd } from "./find-end.ts";
import { createLineBuffer } from "./line-buffer.ts";
import type { Processes } from "./process-identity.ts";
import type { RunFolder } from "./run-folder.ts";
import { type Lock, takeLock } from "./run-lock.ts";
import { createSegment, type Segment, type SegmentPlace } from "./segment-writer.ts";
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
const MAX_APPEND_LENGTH = 64 * 1024 * 1024;

/** How far a log got: its last event, and where that event's line ends. */
interface Reached {
  readonly seq: number;
  readonly position: number;
}

const turn = Promise.resolve();

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

  const lines = createLineBuffer();
  const waiters = createWaiters();
  let part = 1;
  let end = place.after;
  let written: Reached = { seq: end, position: lines.end() };
  let durable = written;
  let durablePlace: SegmentPlace = place;
  let flushes = 0;
  /** Events in the queue that nobody waits for. */
  let untold = 0;
  let droppedEvents = 0;
  let lastLook = options.clock();
  let scheduled = false;
  let syncing = false;
  let dead: Error | undefined;

  const pendingBytes = (): number => lines.end() - written.position;
  const unsyncedBytes = (): number => written.position - durable.position;

  function append(events: readonly RunEvent[], { after, level }: { readonly after: number; readonly level: Level }): Promise<void> {
    if (dead !== undefined) return Promise.reject(dead);
    let seq: number | undefined;
    try {
      if (after < end) seq = sameAgain(events, after);
      if (seq === undefined) {
        seq = queue(events, after);
        if (level === "memory") untold += events.length;
      }
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
    const waiting = level === "memory" ? Promise.resolve() : waiters.wait(seq, { level, flush: flushes });
    if (beginsAttempt(events)) flushSync();
    else if (pendingBytes() >= FLUSH_BYTES) writePending();
    schedule();
    return waiting;
  }

  /** A step that was written but whose append failed may be sent again: it is already there, word for word. */
  function sameAgain(events: readonly RunEvent[], after: number): number | undefined {
    if (after < durable.seq || after + events.length > written.seq) return undefined;
    const isThere = lines.includes(encode(events), { position: durable.position, skip: after - durable.seq });
    return isThere ? after + events.length : undefined;
  }

  function queue(events: readonly RunEvent[], after: number): number {
    checkAppend(run, events, { after, end });
    lines.add(encode(events));
    end += events.length;
    return end;
  }

  function encode(events: readonly RunEvent[]): string {
    let text: string;
    try {
      text = encodeEvents(events);
    } catch (error) {
      throw invalidAppend(run, `they are no JSON (${error instanceof Error ? error.message : String(error)})`);
    }
    if (text.length > MAX_APPEND_LENGTH) throw invalidAppend(run, `they take ${String(text.length)} characters of at most ${String(MAX_APPEND_LENGTH)}`);
    return text;
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
    if (pendingBytes() === 0) serve();
    else if (writePending() && waiters.any()) sync();
  }

  /** Writes the queue as one flush. On failure the log moves to a new file; if that fails too, the appends do. */
  function writePending(): boolean {
    try {
      if (segment === undefined) moveOn();
      else if (segment.bytes() >= options.segmentBytes) rotate();
      writeQueue();
    } catch (error) {
      try {
        abandon(error);
        moveOn();
        writeQueue();
      } catch (second) {
        abandon(second);
        refuse(second);
        return false;
      }
    }
    written = { seq: end, position: lines.end() };
    flushes += 1;
    untold = 0;
    settle();
    if (unsyncedBytes() >= MAX_UNSYNCED_BYTES) syncNow();
    else if (unsyncedBytes() >= UNSYNCED_BYTES) sync();
    return true;
  }

  function writeQueue(): void {
    segment?.write(lines.flush(written.position, lines.end()), { last: end, durable: durable.seq });
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

  /** Forgets the queue. Those that wait for the disk cannot be served either, but what they wrote stays and may be sent again. */
  function refuse(cause: unknown): void {
    lines.cut(written.position);
    end = written.seq;
    // What was acknowledged at level memory has nobody to tell; it is counted.
    droppedEvents += untold;
    untold = 0;
    waiters.fail(storeUnavailable(run, cause));
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
    if (unsyncedBytes() > 0) segment.write(lines.flush(durable.position, written.position), { last: written.seq, durable: durable.seq });
    segment.sync();
    files.syncFolder(folder.log);
    covered(written, segment.place(written.seq));
  }

  function rotate(): void {
    if (segment === undefined) return;
    segment.sync();
    covered(written, segment.place(written.seq));
    segment.close();
    segment = undefined;
    moveOn();
  }

  function sync(): void {
    if (syncing || segment === undefined) return;
    const current = segment;
    const reached = written;
    const at = current.place(reached.seq);
    syncing = true;
    files.syncLater(current.file).then(
      () => synced({ current, reached, at }),
      (error: unknown) => unsyncable(current, error),
    );
  }

  function synced({ current, reached, at }: { readonly current: Segment; readonly reached: Reached; readonly at: SegmentPlace }): void {
    syncing = false;
    if (segment !== current) {
      // The log moved to another file meanwhile; whoever waits now waits for that one.
      serve();
      return;
    }
    dead = whyLost();
    if (dead !== undefined) {
      options.onProblem(dead);
      waiters.fail(dead);
      return;
    }
    // A sync that was asked for later may have been answered before this one.
    if (reached.seq > durable.seq) covered(reached, at);
    settle();
    if (waiters.anyForDisk(written.seq) || unsyncedBytes() >= UNSYNCED_BYTES) sync();
  }

  /** A process that lost its run may still write its file; what it wrote must not be acknowledged as being on the disk. */
  function whyLost(): Error | undefined {
    if (lock.isSuperseded()) return writerSuperseded(run);
    const now = options.clock();
    if (Math.abs(now - lastLook) < LOOK_EVERY_MS) return undefined;
    lastLook = now;
    return lock.isRemoved() ? runRemoved(run) : undefined;
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

  function covered(reached: Reached, at: SegmentPlace): void {
    durable = reached;
    durablePlace = at;
    lines.forget(reached.position);
    segment?.mark(at);
  }

  function settle(): void {
    waiters.settle({ written: written.seq, durable: durable.seq });
  }

  function flushSync(): void {
    if (dead !== undefined) return;
    if (pendingBytes() > 0) writePending();
    else if (segment === undefined) serve();
    syncNow();
  }

  function syncNow(): void {
    if (segment === undefined || dead !== undefined || unsyncedBytes() === 0) return;
    try {
      segment.sync();
      covered(written, segment.place(written.seq));
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
      if (unsyncedBytes() === 0 || dead !== undefined) return;
      const waiting = waiters.wait(written.seq, { level: "disk", flush: flushes });
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
