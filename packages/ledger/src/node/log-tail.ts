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
  return new Tail(options);
}

class Tail implements LogTail {
  readonly #options: LogTailOptions;
  readonly #files: FileSystem;
  readonly #folder: RunFolder;
  readonly #run: string;
  readonly #lock: Lock;
  readonly #lines = createLineBuffer();
  #part = 1;
  #segment: Segment | undefined;
  #end: number;
  #written: WritePosition;
  #durable: WritePosition;
  #durablePlace: SegmentPlace;
  /** How far the present file is on the disk without a mark that says so. */
  #unmarked: SegmentPlace | undefined;
  #markedBytes = 0;
  #markWaits = false;
  readonly unsyncedBytes = (): number => this.#written.position - this.#durable.position;

  constructor(options: LogTailOptions) {
    this.#options = options;
    const { files, folder, run, lock, place } = options;
    this.#files = files;
    this.#folder = folder;
    this.#run = run;
    this.#lock = lock;
    this.#segment = this.#openSegment(place);
    this.#end = place.after;
    this.#written = { seq: this.#end, position: this.#lines.end() };
    this.#durable = this.#written;
    this.#durablePlace = place;
  }

  readonly end: LogTail["end"] = () => this.#end;

  readonly written: LogTail["written"] = () => this.#written.seq;

  readonly durable: LogTail["durable"] = () => this.#durable.seq;

  readonly pendingBytes: LogTail["pendingBytes"] = () => this.#lines.end() - this.#written.position;

  readonly hasFile: LogTail["hasFile"] = () => this.#segment !== undefined;

  readonly add = (events: readonly RunEvent[]): void => {
    const start = this.#lines.end();
    let length = 0;
    try {
      for (const event of events) {
        const line = eventToLine(this.#run, event);
        length += line.length;
        if (length > MAX_APPEND_LENGTH)
          throw invalidAppend(
            this.#run,
            `they take at least ${String(length)} characters of at most ${String(MAX_APPEND_LENGTH)}`,
          );
        this.#lines.add(line);
      }
    } catch (error) {
      this.#lines.cut(start);
      throw error;
    }
    this.#end += events.length;
  };

  readonly holds = (events: readonly RunEvent[], after: number): boolean => {
    if (after < this.#durable.seq || after + events.length > this.#written.seq) return false;
    return this.#lines.includes(events.map((event) => eventToLine(this.#run, event)).join("\n"), {
      position: this.#durable.position,
      skip: after - this.#durable.seq,
    });
  };

  readonly takeBack: LogTail["takeBack"] = () => {
    this.#lines.cut(this.#written.position);
    this.#end = this.#written.seq;
  };

  readonly write = (): void => {
    try {
      if (this.#segment === undefined) this.#moveOn();
      else if (this.#segment.bytes() >= this.#options.segmentBytes) this.#rotate(this.#segment);
      this.#writeQueue();
    } catch (error) {
      if (isLost(error)) throw error;
      this.#abandon(error);
      try {
        this.#moveOn();
        this.#writeQueue();
      } catch (second) {
        this.#abandon(second);
        throw second;
      }
    }
    this.#written = { seq: this.#end, position: this.#lines.end() };
  };

  readonly sync = (): void => {
    if (this.#segment === undefined) return;
    try {
      this.#segment.sync();
      this.#checkLost();
      this.#covered(this.#written, this.#segment.place(this.#written.seq));
      this.mark();
    } catch (error) {
      if (isLost(error)) throw error;
      this.#replace(error);
    }
  };

  readonly syncLater = async (): Promise<SyncOutcome> => {
    const current = this.#segment;
    if (current === undefined) return { kind: "moved" };
    const reached = this.#written;
    const at = current.place(reached.seq);
    try {
      await this.#files.syncLater(current.file);
    } catch (error) {
      if (this.#segment !== current) return { kind: "moved" };
      this.#replace(error);
      return { kind: "synced" };
    }
    if (this.#segment !== current) return { kind: "moved" };
    const why = this.whyLost();
    if (why !== undefined) return { kind: "lost", why };
    // A sync that was asked for later may have been answered before this one.
    if (reached.seq > this.#durable.seq) this.#covered(reached, at);
    this.#markSoon();
    return { kind: "synced" };
  };

  readonly whyLost = (): Error | undefined => {
    const why = this.#options.whyLost();
    if (why !== undefined) return why;
    const problem = this.#segment?.problem();
    return this.#segment === undefined || problem === undefined
      ? undefined
      : logLost(this.#run, this.#segment.name, problem);
  };

  readonly mark = (): void => {
    this.#markWaits = false;
    if (this.#segment === undefined || this.#unmarked === undefined) return;
    this.#segment.mark(this.#unmarked);
    this.#markedBytes = this.#unmarked.previous?.bytes ?? 0;
    this.#unmarked = undefined;
  };

  readonly moveOn: LogTail["moveOn"] = () => {
    if (this.#segment === undefined) this.#replace(undefined);
  };

  readonly close = (): void => {
    this.mark();
    this.#segment?.close();
    this.#segment = undefined;
  };

  #openSegment(from: SegmentPlace): Segment {
    return createSegment(this.#options, {
      ...from,
      epoch: this.#lock.epoch,
      part: this.#part,
      writer: this.#lock.owner.nonce,
    });
  }

  #writeQueue(): void {
    this.#segment?.write(this.#lines.flush(this.#written.position, this.#lines.end()), {
      last: this.#end,
      durable: this.#durable.seq,
    });
  }

  #rotate(full: Segment): void {
    full.sync();
    this.#checkLost();
    this.#covered(this.#written, full.place(this.#written.seq));
    this.close();
    this.#moveOn();
  }

  #checkLost(): void {
    const why = this.whyLost();
    if (why !== undefined) throw why;
  }

  #abandon(cause: unknown): void {
    if (this.#segment === undefined) return;
    this.#options.onFailure(cause);
    const old = this.#segment;
    this.#segment = undefined;
    this.#unmarked = undefined;
    old.close();
  }

  /** A new file that continues from the last point known to be on the disk, with everything since written again. */
  #moveOn(): void {
    this.#part += 1;
    this.#unmarked = undefined;
    this.#markedBytes = 0;
    this.#segment = this.#openSegment(this.#durablePlace);
    if (this.unsyncedBytes() > 0)
      this.#segment.write(this.#lines.flush(this.#durable.position, this.#written.position), {
        last: this.#written.seq,
        durable: this.#durable.seq,
      });
    this.#segment.sync();
    this.#files.syncFolder(this.#folder.log);
    noteSegment(this.#files, this.#folder, this.#segment.name);
    this.#covered(this.#written, this.#segment.place(this.#written.seq));
    this.mark();
  }

  /** A sync that failed may report success the next time although the bytes are gone: never ask that file again. */
  #replace(cause: unknown): void {
    this.#abandon(cause);
    try {
      this.#moveOn();
    } catch (second) {
      this.#abandon(second);
      throw second;
    }
  }

  #covered(reached: WritePosition, at: SegmentPlace): void {
    this.#durable = reached;
    this.#durablePlace = at;
    this.#unmarked = at;
    this.#lines.forget(reached.position);
  }

  /** Whoever waits for the disk need not wait for the mark, and of many syncs in a row only some need one. */
  #markSoon(): void {
    if ((this.#unmarked?.previous?.bytes ?? 0) - this.#markedBytes >= ANCHOR_EVERY) this.mark();
    else if (!this.#markWaits) {
      this.#markWaits = true;
      setImmediate(this.mark);
    }
  }
}

/** True if an error says that the log is gone for this process, so that no other file helps. */
export function isLost(error: unknown): error is Error {
  return ["LOG_LOST", "RUN_REMOVED", "WRITER_SUPERSEDED"].some((code) => isPhasekitError(error, code));
}
