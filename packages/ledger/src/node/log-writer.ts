import { isPhasekitError, type RunEvent } from "@phasekit/core";
import { join } from "node:path";
import { checkAppend } from "../check-append.ts";
import { damagedStore, invalidAppend, storeUnavailable, writerSuperseded } from "../errors.ts";
import { type FileSystem, readFully, writeNew } from "./file-system.ts";
import { readLayout } from "./log-layout.ts";
import type { Processes } from "./process-identity.ts";
import type { RunFolder } from "./run-folder.ts";
import { type Lock, takeLock } from "./run-lock.ts";
import { createSegment, type Segment, type SegmentPlace } from "./segment-writer.ts";
import { openSegment } from "./segment-reader.ts";

/** When an append is acknowledged: when it is queued, when the kernel has it, or when it is on the disk. */
export type Level = "memory" | "kernel" | "disk";

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

interface Taken {
  readonly first: number;
  readonly last: number;
  readonly text: string;
  readonly bytes: number;
}

interface Waiter {
  readonly seq: number;
  readonly level: Level;
  readonly done: () => void;
  readonly failed: (error: Error) => void;
}

const FLUSH_BYTES = 64 * 1024;
/** What may be written and not yet on the disk: kept in memory, so that a failed sync can be made good. */
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
    place = findEnd(options, lock);
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
  /** Queued; then written and not yet synced. */
  let pending: Taken[] = [];
  let pendingBytes = 0;
  let unsynced: Taken[] = [];
  let unsyncedBytes = 0;
  let waiters: Waiter[] = [];
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
    const waiting = level === "memory" ? Promise.resolve() : new Promise<void>((done, failed) => waiters.push({ seq, level, done, failed }));
    if (events.some(({ type }) => type === "run.started" || type === "run.resumed")) flushSync();
    else if (pendingBytes >= FLUSH_BYTES) flushNow();
    else schedule();
    return waiting;
  }

  /** A step that was written but whose append failed may be sent again: it is already there, word for word. */
  function sameAgain(events: readonly RunEvent[], after: number): number | undefined {
    const found = unsynced.find(({ first }) => first === after + 1);
    return found !== undefined && found.last === after + events.length && found.text === encode(events) ? found.last : undefined;
  }

  function queue(events: readonly RunEvent[]): void {
    const text = encode(events);
    const bytes = text.length;
    if (bytes > MAX_EVENT_BYTES) throw invalidAppend(run, `they take more than ${String(MAX_EVENT_BYTES)} bytes`);
    pending.push({ first: end + 1, last: end + events.length, text, bytes });
    pendingBytes += bytes;
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

  /** Writes the queue as one flush. On failure the log moves to a new file; if that fails too, the appends do. */
  function flushNow(): void {
    if (dead !== undefined) return;
    if (pending.length === 0) {
      serve();
      return;
    }
    const batch = pending;
    const bytes = pendingBytes;
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
        return;
      }
    }
    unsynced.push(...batch);
    unsyncedBytes += bytes;
    written = batch.at(-1)?.last ?? written;
    settle();
    if (unsyncedBytes >= MAX_UNSYNCED_BYTES) syncNow();
    else if (unsyncedBytes >= UNSYNCED_BYTES || waiters.length > 0) sync();
  }

  /** Somebody waits for what is written already: on a file that failed meanwhile, it has to be written again. */
  function serve(): void {
    settle();
    if (waiters.length === 0) return;
    if (segment !== undefined) {
      sync();
      return;
    }
    try {
      moveOn();
      settle();
    } catch (error) {
      abandon(error);
      failWaiters(storeUnavailable(run, error));
    }
  }

  function refuse(batch: readonly Taken[], cause: unknown): void {
    const error = storeUnavailable(run, cause);
    const from = batch[0]?.first ?? end + 1;
    const failed = waiters.filter(({ seq }) => seq >= from);
    waiters = waiters.filter(({ seq }) => seq < from);
    // What was acknowledged at level memory has nobody to tell; it is counted.
    droppedEvents += batch.reduce((sum, { first, last }) => sum + (failed.some(({ seq }) => seq === last) ? 0 : last - first + 1), 0);
    end = from - 1;
    for (const waiter of failed) waiter.failed(error);
    // Those that wait for the disk cannot be served either, but what they wrote stays and may be sent again.
    failWaiters(error);
  }

  function failWaiters(error: Error): void {
    const failed = waiters;
    waiters = [];
    for (const waiter of failed) waiter.failed(error);
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
    if (unsynced.length > 0) segment.write(unsynced, durable);
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
      failWaiters(dead);
      return;
    }
    covered(seq, at);
    settle();
    if (waiters.some(({ level, seq: wanted }) => level === "disk" && wanted <= written) || unsyncedBytes >= UNSYNCED_BYTES) sync();
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
      failWaiters(storeUnavailable(run, second));
    }
  }

  function covered(seq: number, at: SegmentPlace): void {
    durable = seq;
    durablePlace = at;
    const rest = unsynced.findIndex(({ last }) => last > seq);
    unsynced = rest < 0 ? [] : unsynced.slice(rest);
    unsyncedBytes = unsynced.reduce((sum, { bytes }) => sum + bytes, 0);
    segment?.mark(at);
  }

  function settle(): void {
    if (waiters.length === 0) return;
    const open: Waiter[] = [];
    const ready: Waiter[] = [];
    for (const waiter of waiters) (waiter.seq <= (waiter.level === "disk" ? durable : written) ? ready : open).push(waiter);
    waiters = open;
    for (const { done } of ready) done();
  }

  function flushSync(): void {
    flushNow();
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
      const seq = written;
      const waiting = new Promise<void>((done, failed) => waiters.push({ seq, level: "disk", done, failed }));
      serve();
      await waiting;
    },
    close: () => {
      flushSync();
      failWaiters(storeUnavailable(run, new Error("the store was closed")));
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

/** The valid end of the log so far. Only what may not be on the disk yet is verified again. */
function findEnd({ files, folder, run }: LogWriterOptions, lock: Lock): SegmentPlace {
  const { segments, missing } = readLayout(files, folder, run);
  const last = segments.at(-1);
  if (last === undefined) return { after: 0, previous: undefined, recovered: undefined };
  const reader = openSegment(files, last.path, { run, name: last.name });
  try {
    const from = last.mark === undefined || last.header === undefined ? undefined : reader.lastAnchor(last.mark.bytes);
    const flushes = reader.flushes(from);
    let next = flushes.next();
    while (next.done !== true) next = flushes.next();
    const { end, seq, chain, rest, durable } = next.value;
    const sure = Math.max(durable, last.mark?.seq ?? 0, ...missing.map(({ mark }) => mark.seq));
    if (last.header === undefined || sure > seq || (last.mark?.bytes ?? 0) > end) {
      throw damagedStore(run, { segment: last.name, byte: end, problem: `events up to ${String(sure)} were on the disk` });
    }
    const recovered = rest > 0 ? { segment: last.name, from: end, bytes: rest } : undefined;
    if (recovered !== undefined) setAside({ files, folder, path: last.path, epoch: lock.epoch }, recovered);
    return { after: seq, previous: { segment: last.name, bytes: end, seq, chain }, recovered };
  } finally {
    reader.close();
  }
}

const QUARANTINE_BYTES = 16 * 1024 * 1024;

/** Keeps a copy of bytes that are no part of the log; the file they come from is left as it is. */
function setAside(
  { files, folder, path, epoch }: { readonly files: FileSystem; readonly folder: RunFolder; readonly path: string; readonly epoch: number },
  { segment, from, bytes }: { readonly segment: string; readonly from: number; readonly bytes: number },
): void {
  files.makeFolder(folder.quarantine);
  const copy = Buffer.allocUnsafe(Math.min(bytes, QUARANTINE_BYTES));
  const file = files.openToRead(path);
  try {
    const length = readFully(files, file, { into: copy, position: from });
    writeNew(files, join(folder.quarantine, `${segment}-${String(from)}-e${String(epoch)}.bin`), copy.subarray(0, length));
  } finally {
    files.close(file);
  }
}

/** One line per event. Its type comes first, so that no event can look like one of our own lines. */
function encode(events: readonly RunEvent[]): string {
  let text = "";
  for (const event of events) {
    const line = JSON.stringify(event);
    text += line.startsWith('{"type":') ? line : JSON.stringify(typeFirst(event));
    text += "\n";
  }
  return text;
}

function typeFirst({ type, ...rest }: RunEvent): object {
  return { type, ...rest };
}
