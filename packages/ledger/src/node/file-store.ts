import { isPhasekitError, type RunEvent } from "@phasekit/core";
import { randomUUID } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { assertAppend } from "../assert-append.ts";
import { encodeEvent } from "../encode-event.ts";
import { remoteFolder, storeClosed, storeUnavailable, storeUnreadable, unsafeDirectory } from "../errors.ts";
import { flushStoredRuns } from "../stored-runs.ts";
import type { RunStore } from "../run-store.ts";
import { type FileSystem, nodeFileSystem } from "./file-system.ts";
import { keepFromGit } from "./keep-from-git.ts";
import { createFollower, type LogFollower } from "./follow-log.ts";
import { type LogWriter, openLogWriter } from "./log-writer.ts";
import { nodeProcesses, type Processes } from "./process-identity.ts";
import { type LogPart, type LogReport, readLog } from "./read-log.ts";
import { assertPath, checkRunFolder, folderName, type RunFolder, runFolder } from "./run-folder.ts";
import { createRunList } from "./run-list.ts";
import { takeLock } from "./run-lock.ts";
import type { Level } from "./waiters.ts";

export interface FileStoreOptions {
  /**
   * When an append is acknowledged. @default disk for the header, moves, claims, verdicts and the end; kernel for the
   * rest
   */
  readonly level?: Level | ((events: readonly RunEvent[]) => Level);
  /** Take runs whose holder cannot be proven gone, such as one of another machine. @default false */
  readonly takeOver?: boolean;
  /** The size in bytes at which a new file begins. @default 64 MiB */
  readonly segmentBytes?: number;
  /** How often a follower looks for more, in milliseconds. @default 250 */
  readonly pollMs?: number;
  /**
   * Called when the disk fails, each time the log has to move to a new file or gives up; and of a folder on another
   * machine.
   */
  readonly onError?: (problem: unknown) => void;
  /** @default the file system of this machine */
  readonly files?: FileSystem;
  /** @default the processes of this machine */
  readonly processes?: Processes;
  /** @default Date.now */
  readonly clock?: () => number;
}

/** A run store in a folder, and what only files can tell. */
export interface FileStore extends Required<RunStore> {
  /** Writes, syncs and gives back the files and the lock of one run. Its next append takes new ones. */
  readonly release: (runId: string) => Promise<void>;
  /** Clears what a removal that was cut off left behind; `pruneRuns` calls it. */
  readonly tidy: () => Promise<void>;
  /** Verifies the whole log of a run. Never throws for what it finds in the files. */
  readonly inspect: (runId: string) => Promise<LogReport>;
  /** Reads what is left of a damaged log, with the gaps named. */
  readonly salvage: (runId: string) => AsyncIterable<LogPart>;
  /** Waits until everything that was appended is on the disk. */
  readonly flush: () => Promise<void>;
  /** Closes without waiting: for signal handlers and the last moment of a process. */
  readonly flushSync: () => void;
  /** Events acknowledged at level "memory" that the disk then refused. */
  readonly dropped: () => number;
  /** Waits for runs that are being stored, writes, syncs and lets go of every run. */
  readonly close: () => Promise<void>;
}

const TO_DISK: ReadonlySet<string> = new Set([
  "run.started",
  "run.resumed",
  "run.finished",
  "phase.transition",
  "phase.rolled-back",
  "claim.submitted",
  "verdict.given",
]);

/** The level of a step by default: what others build on is on the disk, the rest in the kernel. */
function defaultLevel(events: readonly RunEvent[]): Level {
  return events.some(({ type }) => TO_DISK.has(type)) ? "disk" : "kernel";
}

/**
 * Keeps runs in a folder: one folder per run, append-only lines of JSON that any tool can read, checksummed so that
 * damage never goes unseen. What was acknowledged survives `kill -9`; at level disk also a power cut.
 *
 * @example
 * const store = createFileStore(".phasekit/runs");
 * storeRun(run, store);
 * @throws INVALID_OPTION, UNSAFE_DIRECTORY
 */
export function createFileStore(root: string, options: FileStoreOptions = {}): FileStore {
  const {
    files = nodeFileSystem(),
    processes = nodeProcesses(),
    clock = Date.now,
    takeOver = false,
    segmentBytes = 64 * 1024 * 1024,
    pollMs = 250,
  } = options;
  const base = resolve(assertPath(root));
  const writers = new Map<string, LogWriter>();
  const followers = new Set<() => void>();
  let dropped = 0;
  let closed = false;
  let prepared = false;

  function onError(problem: unknown): void {
    try {
      options.onError?.(problem);
    } catch {
      // A handler that throws must not break the log, nor the agent.
    }
  }

  const levelOf =
    typeof options.level === "function"
      ? options.level
      : options.level === undefined
        ? defaultLevel
        : constant(options.level);
  const folderOf = (run: string): RunFolder => runFolder(base, folderName(run));

  function prepare(run: string): void {
    if (prepared) return;
    try {
      checkFolder(files, base);
      files.makeFolder(base);
      keepFromGit(files, dirname(base));
      if (isRemote()) onError(remoteFolder(base));
    } catch (error) {
      throw isPhasekitError(error) ? error : storeUnavailable(run, error);
    }
    prepared = true;
  }

  function isRemote(): boolean {
    try {
      return files.isRemote?.(base) ?? false;
    } catch {
      // It is a warning; who cannot tell does not warn.
      return false;
    }
  }

  function append(run: string, events: readonly RunEvent[], { after }: { readonly after: number }): Promise<void> {
    let writer: LogWriter;
    try {
      if (closed) throw storeClosed();
      assertAppend(run, events, { after, end: after });
      writer = writers.get(run) ?? openWriter(run, events);
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
    const stored = writer.append(events, { after, level: levelOf(events) });
    const ends = events.at(-1)?.type === "run.finished";
    return ends || followers.size > 0 ? stored.then(() => afterAppend(run, ends ? writer : undefined)) : stored;
  }

  function openWriter(run: string, events: readonly RunEvent[]): LogWriter {
    // Events that no log could take must not leave a folder behind.
    for (const event of events) encodeEvent(run, event);
    prepare(run);
    const folder = folderOf(run);
    checkRunFolder(files, folder);
    const writer = openLogWriter({ files, processes, clock, folder, run, takeOver, segmentBytes, onError });
    writers.set(run, writer);
    return writer;
  }

  function afterAppend(run: string, ended: LogWriter | undefined): void {
    for (const wake of followers) wake();
    if (ended !== undefined) letGo(run, ended);
  }

  /** An ended run gives back its files and its lock; a resume takes new ones. */
  function letGo(run: string, writer: LogWriter): void {
    if (writers.get(run) !== writer) return;
    writers.delete(run);
    writer.close();
    dropped += writer.dropped();
  }

  function* parts(
    run: string,
    reading: { readonly after?: number; readonly salvage?: boolean; readonly verifyOnly?: boolean } = {},
  ): ReturnType<typeof readLog> {
    try {
      return yield* readLog({ files, folder: folderOf(run), run, ...reading });
    } catch (error) {
      throw isPhasekitError(error) ? error : storeUnreadable(folderOf(run).root, error);
    }
  }

  // Each batch is a chance for other work to run.
  // oxlint-disable-next-line typescript/require-await -- an async iterable by contract
  async function* read(
    run: string,
    { after = 0 }: { readonly after?: number } = {},
  ): AsyncGenerator<readonly RunEvent[], void, undefined> {
    for (const part of parts(run, { after })) if ("events" in part && part.events.length > 0) yield part.events;
  }

  function tail(run: string, { after = 0 }: { readonly after?: number } = {}): AsyncIterable<readonly RunEvent[]> {
    return { [Symbol.asyncIterator]: () => follow(run, after) };
  }

  function follow(run: string, after: number): AsyncIterator<readonly RunEvent[]> {
    const follower = createFollower({ files, folder: folderOf(run), run, after });
    let open = true;
    let stop: (() => void) | undefined;
    const wait = (): Promise<void> =>
      new Promise((done) => {
        const end = (): void => {
          clearTimeout(timer);
          followers.delete(end);
          done();
        };
        const timer = setTimeout(end, pollMs);
        followers.add(end);
        stop = end;
      });
    return {
      next: async () => {
        while (open) {
          const value = readOn(run, follower);
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

  function readOn(run: string, follower: LogFollower): ReturnType<LogFollower["next"]> {
    try {
      return follower.next();
    } catch (error) {
      throw isPhasekitError(error) ? error : storeUnreadable(folderOf(run).root, error);
    }
  }

  function remove(run: string): Promise<void> {
    return Promise.resolve().then(() => {
      const folder = folderOf(run);
      const writer = writers.get(run);
      if (writer !== undefined) letGo(run, writer);
      if (files.stat(folder.root) === undefined) return;
      checkRunFolder(files, folder);
      // Whoever writes it now must not find its files gone.
      if (files.stat(folder.epochs) !== undefined) takeLock({ files, processes, folder, run, takeOver });
      const gone = join(base, `.removed-${randomUUID()}`);
      files.rename(folder.root, gone);
      files.remove(gone);
      for (const wake of followers) wake();
    });
  }

  /** A removal renames first and deletes then; what a crash left in between is of no run any more. */
  function tidy(): Promise<void> {
    return Promise.resolve().then(() => {
      for (const name of files.names(base).filter((candidate) => REMOVED.test(candidate))) {
        try {
          files.remove(join(base, name));
        } catch (error) {
          // Another process may be at it; what stays is tried the next time.
          onError(storeUnreadable(join(base, name), error));
        }
      }
    });
  }

  const store: FileStore = {
    append,
    read,
    list: createRunList({ files, processes, base, isWritten: (run) => writers.has(run), onError }),
    tail,
    remove,
    release: (run) =>
      Promise.resolve().then(() => {
        const writer = writers.get(run);
        if (writer !== undefined) letGo(run, writer);
      }),
    tidy,
    inspect: (run) =>
      Promise.resolve().then(() => {
        const reading = parts(run, { salvage: true, verifyOnly: true });
        let next = reading.next();
        while (next.done !== true) next = reading.next();
        const { position: _position, ...report } = next.value;
        return report;
      }),
    // oxlint-disable-next-line typescript/require-await -- an async iterable by contract
    salvage: async function* (run) {
      yield* parts(run, { salvage: true });
    },
    flush: async () => {
      await Promise.all([...writers.values()].map((writer) => writer.flush()));
    },
    flushSync: () => {
      for (const writer of writers.values()) writer.flushSync();
    },
    dropped: () => [...writers.values()].reduce((sum, writer) => sum + writer.dropped(), dropped),
    close: async () => {
      if (closed) return;
      await flushStoredRuns(store);
      closed = true;
      for (const [run, writer] of [...writers]) letGo(run, writer);
      for (const wake of followers) wake();
    },
  };
  return store;
}

const REMOVED = /^\.removed-[0-9a-f-]{36}$/;

const constant = (level: Level) => (): Level => level;

/** Others must not be able to put a link where a log is about to be created. */
function checkFolder(files: FileSystem, base: string): void {
  for (const path of [base, dirname(base)]) {
    const stats = files.stat(path);
    if (stats === undefined) continue;
    if (path === base && stats.kind !== "folder") throw unsafeDirectory(path, "it is not a folder");
    if (process.platform !== "win32" && (stats.mode & 0o002) !== 0 && (stats.mode & 0o1000) === 0)
      throw unsafeDirectory(path, "every user may write to it");
  }
}
