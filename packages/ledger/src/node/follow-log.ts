import { isPhasekitError, type RunEvent } from "@phasekit/core";
import { join } from "node:path";
import { storeUnreadable } from "../errors.ts";
import { decodeEvents } from "./event-lines.ts";
import type { FileSystem } from "./file-system.ts";
import { type LogPosition, readLog } from "./read-log.ts";
import type { RunFolder } from "./run-folder.ts";
import { parseSegmentName } from "./segment-format.ts";
import { openSegment } from "./segment-reader.ts";

/** Reads on in a log that others write. */
export interface LogFollower {
  /** The next batch; `undefined` when there is nothing new; "gone" when there is no log. */
  readonly next: () => readonly RunEvent[] | "gone" | undefined;
}

export interface FollowOptions {
  readonly files: FileSystem;
  readonly folder: RunFolder;
  readonly run: string;
  /** Leave out events up to this one. */
  readonly after: number;
}

/**
 * Follows a log from its place in the newest file: what was verified is never read again. Whenever it cannot continue
 * from there, because a new file began or the bytes do not verify, it asks `readLog`, which alone judges damage.
 */
export function createFollower({ files, folder, run, after }: FollowOptions): LogFollower {
  let seq = after;
  let seen = "";
  let readsOn = false;
  let position: LogPosition | undefined;
  let batches: Iterator<readonly RunEvent[], void> | undefined;

  function* readOn(from: LogPosition): Generator<readonly RunEvent[], void, undefined> {
    const reader = openSegment(files, join(folder.log, from.segment), { run, name: from.segment });
    // Until something verifies it is not known whether there is more or something is wrong.
    position = undefined;
    try {
      for (const { lines, count, ...flush } of reader.flushes(from)) {
        position = { segment: from.segment, at: flush.end, seq: flush.seq, chain: flush.chain };
        if (count > 0) yield decodeEvents(lines);
      }
    } finally {
      reader.close();
    }
  }

  function* readAll(): Generator<readonly RunEvent[], void, undefined> {
    const parts = readLog({ files, folder, run, after: seq });
    for (let next = parts.next(); ; next = parts.next()) {
      if (next.done === true) {
        ({ position } = next.value);
        return;
      }
      if ("events" in next.value) yield next.value.events;
    }
  }

  return {
    next: () => {
      for (;;) {
        if (batches === undefined) {
          const newest = newestSegment(files, folder);
          if (newest === undefined) return "gone";
          const state = `${newest.name}:${String(newest.size)}`;
          if (state === seen) return undefined;
          seen = state;
          readsOn = position?.segment === newest.name;
          batches = position !== undefined && readsOn ? readOn(position) : readAll();
        }
        const { value, done } = batches.next();
        if (done === true) {
          batches = undefined;
          // It grew, and not a single flush verified: the reader that knows damage has to look at it.
          if (readsOn && position === undefined) seen = "";
          continue;
        }
        const fresh = value.filter((event) => event.seq > seq);
        seq = fresh.at(-1)?.seq ?? seq;
        if (fresh.length > 0) return fresh;
      }
    },
  };
}

interface FollowPlace {
  /** Called after each append of this process. */
  readonly waiting: Set<() => void>;
  /** How often to look for what other processes appended, in milliseconds. */
  readonly pollMs: number;
  /** The folder of the run, to name it in an error. */
  readonly root: string;
}

/** Gives what a follower finds, and waits for more, until the log is gone or the reader stops. */
export function followAppends(
  follower: LogFollower,
  { waiting, pollMs, root }: FollowPlace,
): AsyncIterator<readonly RunEvent[]> {
  let open = true;
  let stop: (() => void) | undefined;

  function wait(): Promise<void> {
    return new Promise((done) => {
      const end = (): void => {
        clearTimeout(timer);
        waiting.delete(end);
        done();
      };
      const timer = setTimeout(end, pollMs);
      waiting.add(end);
      stop = end;
    });
  }

  function read(): ReturnType<LogFollower["next"]> {
    try {
      return follower.next();
    } catch (error) {
      throw isPhasekitError(error) ? error : storeUnreadable(root, error);
    }
  }

  return {
    next: async () => {
      while (open) {
        const value = read();
        if (value === "gone") break;
        if (value !== undefined) return { done: false, value };
        await wait();
      }
      open = false;
      return { done: true, value: undefined };
    },
    return: () => {
      open = false;
      stop?.();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
}

/** The newest file of a log and its size: both change with the log, and nothing else does. */
export function newestSegment(
  files: FileSystem,
  { log }: RunFolder,
): { readonly name: string; readonly size: number } | undefined {
  const name = files
    .names(log)
    .filter((candidate) => parseSegmentName(candidate) !== undefined)
    .at(-1);
  return name === undefined ? undefined : { name, size: files.stat(join(log, name))?.size ?? 0 };
}
