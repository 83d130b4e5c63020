import { isPhasekitError, type RunEvent } from "@phasekit/core";
import { invalidAppend, logLost } from "../errors.ts";
import { eventToLine } from "./event-lines.ts";
import type { FileSystem } from "./file-system.ts";
import { createLineBuffer } from "./line-buffer.ts";
import { noteSegment } from "./noted-segments.ts";
import type { RunFolder } from "./run-folder.ts";
import type { Lock } from "./run-lock.ts";
import { ANCHOR_EVERY } from "./segment-format.ts";
import { createSegment, type Segment, type SegmentPlace } from "./segment-writer.ts";

export interface LogTailOptions {
  readonly files: FileSystem;
  readonly clock: () => number;
  readonly folder: RunFolder;
  readonly run: string;
  readonly segmentBytes: number;
  readonly lock: Lock;
  /** The valid end of the log, where this one continues. */
  readonly place: SegmentPlace;
  /** Called when a file failed and is let go. */
  readonly onFailure: (cause: unknown) => void;
  /** Why the run is no longer ours to write; asked whenever something is about to count as being on the disk. */
  readonly whyLost: () => Error | undefined;
}

/**
 * The end of a log: events that wait, events that are written, events that are on the disk, and the file they go to.
 * A file that failed is never written or synced again; a new one takes everything since the last point known to be on
 * the disk. What throws here found no file to continue with, and may be tried again.
 */
export interface LogTail {
  /** The last event of all, of those that are written, of those on the disk. */
  readonly end: () => number;
  readonly written: () => number;
  readonly durable: () => number;
  readonly pendingBytes: () => number;
  readonly unsyncedBytes: () => number;
  readonly hasFile: () => boolean;
  /** Queues events behind the end: all of them or none. */
  readonly add: (events: readonly RunEvent[]) => void;
  /** True if these very events are written behind an event, and may not be on the disk yet. */
  readonly holds: (events: readonly RunEvent[], after: number) => boolean;
  /** Forgets what is queued. */
  readonly takeBack: () => void;
  /** Writes the queue as one flush. */
  readonly write: () => void;
  /** Brings what is written to the disk, and waits for it. @throws what makes the log lost */
  readonly sync: () => void;
  /** Syncs, and may let others work meanwhile. */
  readonly syncLater: () => Promise<SyncOutcome>;
  /** Why nothing more may be acknowledged: the run is another's, or its file is not what was written. */
  readonly whyLost: () => Error | undefined;
  /** Notes beside the file how far it is on the disk, which otherwise happens within a turn of the event loop. */
  readonly mark: () => void;
  /** Opens a new file after the last one failed. */
  readonly moveOn: () => void;
  readonly close: () => void;
}

/** The result of a sync: "moved" if the log continues in another file, "lost" if it is no longer ours. */
export type SyncOutcome = { readonly kind: "synced" | "moved" } | { readonly kind: "lost"; readonly why: Error };

/** How far a log got: its last event, and where that event's line ends. */
interface WritePosition {
  readonly seq: number;
  readonly position: number;
}

const MAX_APPEND_LENGTH = 64 * 1024 * 1024;

/** Starts a file of its own behind the valid end of a log. */
export function createLogTail(options: LogTailOptions): LogTail {
  const { files, folder, run, lock, place } = options;
  const lines = createLineBuffer();
  let part = 1;
  let segment: Segment | undefined = openSegment(place);
  let end = place.after;
  let written: WritePosition = { seq: end, position: lines.end() };
  let durable = written;
  let durablePlace = place;
  /** How far the present file is on the disk without a mark that says so. */
  let unmarked: SegmentPlace | undefined;
  let markedBytes = 0;
  let markWaits = false;

  const unsyncedBytes = (): number => written.position - durable.position;

  function openSegment(from: SegmentPlace): Segment {
    return createSegment(options, { ...from, epoch: lock.epoch, part, writer: lock.owner.nonce });
  }

  function add(events: readonly RunEvent[]): void {
    const start = lines.end();
    let length = 0;
    try {
      for (const event of events) {
        const line = eventToLine(run, event);
        length += line.length;
        if (length > MAX_APPEND_LENGTH)
          throw invalidAppend(
            run,
            `they take at least ${String(length)} characters of at most ${String(MAX_APPEND_LENGTH)}`,
          );
        lines.add(line);
      }
    } catch (error) {
      lines.cut(start);
      throw error;
    }
    end += events.length;
  }

  function holds(events: readonly RunEvent[], after: number): boolean {
    if (after < durable.seq || after + events.length > written.seq) return false;
    return lines.includes(events.map((event) => eventToLine(run, event)).join("\n"), {
      position: durable.position,
      skip: after - durable.seq,
    });
  }

  function write(): void {
    try {
      if (segment === undefined) moveOn();
      else if (segment.bytes() >= options.segmentBytes) rotate(segment);
      writeQueue();
    } catch (error) {
      if (isLost(error)) throw error;
      abandon(error);
      try {
        moveOn();
        writeQueue();
      } catch (second) {
        abandon(second);
        throw second;
      }
    }
    written = { seq: end, position: lines.end() };
  }

  function writeQueue(): void {
    segment?.write(lines.flush(written.position, lines.end()), { last: end, durable: durable.seq });
  }

  function whyLost(): Error | undefined {
    const why = options.whyLost();
    if (why !== undefined) return why;
    const problem = segment?.problem();
    return segment === undefined || problem === undefined ? undefined : logLost(run, segment.name, problem);
  }

  function rotate(full: Segment): void {
    full.sync();
    checkLost();
    covered(written, full.place(written.seq));
    close();
    moveOn();
  }

  function checkLost(): void {
    const why = whyLost();
    if (why !== undefined) throw why;
  }

  function abandon(cause: unknown): void {
    if (segment === undefined) return;
    options.onFailure(cause);
    const old = segment;
    segment = undefined;
    unmarked = undefined;
    old.close();
  }

  /** A new file that continues from the last point known to be on the disk, with everything since written again. */
  function moveOn(): void {
    part += 1;
    unmarked = undefined;
    markedBytes = 0;
    segment = openSegment(durablePlace);
    if (unsyncedBytes() > 0)
      segment.write(lines.flush(durable.position, written.position), { last: written.seq, durable: durable.seq });
    segment.sync();
    files.syncFolder(folder.log);
    noteSegment(files, folder, segment.name);
    covered(written, segment.place(written.seq));
    mark();
  }

  /** A sync that failed may report success the next time although the bytes are gone: never ask that file again. */
  function replace(cause: unknown): void {
    abandon(cause);
    try {
      moveOn();
    } catch (second) {
      abandon(second);
      throw second;
    }
  }

  function sync(): void {
    if (segment === undefined) return;
    try {
      segment.sync();
      checkLost();
      covered(written, segment.place(written.seq));
      mark();
    } catch (error) {
      if (isLost(error)) throw error;
      replace(error);
    }
  }

  async function syncLater(): Promise<SyncOutcome> {
    const current = segment;
    if (current === undefined) return { kind: "moved" };
    const reached = written;
    const at = current.place(reached.seq);
    try {
      await files.syncLater(current.file);
    } catch (error) {
      if (segment !== current) return { kind: "moved" };
      replace(error);
      return { kind: "synced" };
    }
    if (segment !== current) return { kind: "moved" };
    const why = whyLost();
    if (why !== undefined) return { kind: "lost", why };
    // A sync that was asked for later may have been answered before this one.
    if (reached.seq > durable.seq) covered(reached, at);
    markSoon();
    return { kind: "synced" };
  }

  function covered(reached: WritePosition, at: SegmentPlace): void {
    durable = reached;
    durablePlace = at;
    unmarked = at;
    lines.forget(reached.position);
  }

  /** Whoever waits for the disk need not wait for the mark, and of many syncs in a row only some need one. */
  function markSoon(): void {
    if ((unmarked?.previous?.bytes ?? 0) - markedBytes >= ANCHOR_EVERY) mark();
    else if (!markWaits) {
      markWaits = true;
      setImmediate(mark);
    }
  }

  function mark(): void {
    markWaits = false;
    if (segment === undefined || unmarked === undefined) return;
    segment.mark(unmarked);
    markedBytes = unmarked.previous?.bytes ?? 0;
    unmarked = undefined;
  }

  function close(): void {
    mark();
    segment?.close();
    segment = undefined;
  }

  return {
    end: () => end,
    written: () => written.seq,
    durable: () => durable.seq,
    pendingBytes: () => lines.end() - written.position,
    unsyncedBytes,
    hasFile: () => segment !== undefined,
    add,
    holds,
    takeBack: () => {
      lines.cut(written.position);
      end = written.seq;
    },
    write,
    sync,
    syncLater,
    whyLost,
    mark,
    moveOn: () => {
      if (segment === undefined) replace(undefined);
    },
    close,
  };
}

/** True if an error says that the log is gone for this process, so that no other file helps. */
export function isLost(error: unknown): error is Error {
  return ["LOG_LOST", "RUN_REMOVED", "WRITER_SUPERSEDED"].some((code) => isPhasekitError(error, code));
}
