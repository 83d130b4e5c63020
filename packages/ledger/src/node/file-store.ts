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
import { createFollower, followAppends } from "./follow-log.ts";
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
  return new FolderStore(root, options);
}

class FolderStore implements FileStore {
  readonly #options: FileStoreOptions;
  readonly #files: FileSystem;
  readonly #processes: Processes;
  readonly #clock: () => number;
  readonly #takeOver: boolean;
  readonly #segmentBytes: number;
  readonly #pollMs: number;
  readonly #base: string;
  readonly #writers = new Map<string, LogWriter>();
  readonly #followers = new Set<() => void>();
  #dropped = 0;
  #closed = false;
  #prepared = false;
  readonly #levelOf: (events: readonly RunEvent[]) => Level;

  constructor(root: string, options: FileStoreOptions = {}) {
    this.#options = options;
    const {
      files = nodeFileSystem(),
      processes = nodeProcesses(),
      clock = Date.now,
      takeOver = false,
      segmentBytes = 64 * 1024 * 1024,
      pollMs = 250,
    } = options;
    this.#files = files;
    this.#processes = processes;
    this.#clock = clock;
    this.#takeOver = takeOver;
    this.#segmentBytes = segmentBytes;
    this.#pollMs = pollMs;
    this.#base = resolve(assertPath(root));
    this.#levelOf =
      typeof options.level === "function"
        ? options.level
        : options.level === undefined
          ? defaultLevel
          : constant(options.level);
    this.list = createRunList({
      files: files,
      processes: processes,
      base: this.#base,
      isWritten: (run) => this.#writers.has(run),
      onError: this.#onError,
    });
  }

  readonly append = (
    run: string,
    events: readonly RunEvent[],
    { after }: { readonly after: number },
  ): Promise<void> => {
    let writer: LogWriter;
    try {
      if (this.#closed) throw storeClosed();
      assertAppend(run, events, { after, end: after });
      writer = this.#writers.get(run) ?? this.#openWriter(run, events);
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
    const stored = writer.append(events, { after, level: this.#levelOf(events) });
    const ends = events.at(-1)?.type === "run.finished";
    return ends || this.#followers.size > 0
      ? stored.then(() => this.#afterAppend(run, ends ? writer : undefined))
      : stored;
  };

  readonly read: FileStore["read"] = (run, options) => this.#read(run, options);

  readonly list: FileStore["list"];

  readonly tail: FileStore["tail"] = (run, { after = 0 } = {}) => ({
    [Symbol.asyncIterator]: () => {
      const folder = this.#folderOf(run);
      const follower = createFollower({ files: this.#files, folder, run, after });
      return followAppends(follower, { waiting: this.#followers, pollMs: this.#pollMs, root: folder.root });
    },
  });

  readonly remove = (run: string): Promise<void> => {
    return Promise.resolve().then(() => {
      const folder = this.#folderOf(run);
      const writer = this.#writers.get(run);
      if (writer !== undefined) this.#letGo(run, writer);
      if (this.#files.stat(folder.root) === undefined) return;
      checkRunFolder(this.#files, folder);
      // Whoever writes it now must not find its files gone.
      if (this.#files.stat(folder.epochs) !== undefined)
        takeLock({ files: this.#files, processes: this.#processes, folder, run, takeOver: this.#takeOver });
      const gone = join(this.#base, `.removed-${randomUUID()}`);
      this.#files.rename(folder.root, gone);
      this.#files.remove(gone);
      for (const wake of this.#followers) wake();
    });
  };

  readonly release: FileStore["release"] = (run) =>
    Promise.resolve().then(() => {
      const writer = this.#writers.get(run);
      if (writer !== undefined) this.#letGo(run, writer);
    });

  /** A removal renames first and deletes then; what a crash left in between is of no run any more. */
  readonly tidy = (): Promise<void> => {
    return Promise.resolve().then(() => {
      for (const name of this.#files.names(this.#base).filter((candidate) => REMOVED.test(candidate))) {
        try {
          this.#files.remove(join(this.#base, name));
        } catch (error) {
          // Another process may be at it; what stays is tried the next time.
          this.#onError(storeUnreadable(join(this.#base, name), error));
        }
      }
    });
  };

  readonly inspect: FileStore["inspect"] = (run) =>
    Promise.resolve().then(() => {
      const reading = this.#parts(run, { salvage: true, verifyOnly: true });
      let next = reading.next();
      while (next.done !== true) next = reading.next();
      const { position: _position, ...report } = next.value;
      return report;
    });

  readonly salvage: FileStore["salvage"] = (run) => this.#salvage(run);

  // oxlint-disable-next-line typescript/require-await -- an async iterable by contract
  async *#salvage(run: string): AsyncGenerator<LogPart, void, undefined> {
    yield* this.#parts(run, { salvage: true });
  }

  readonly flush: FileStore["flush"] = async () => {
    await Promise.all([...this.#writers.values()].map((writer) => writer.flush()));
  };

  readonly flushSync: FileStore["flushSync"] = () => {
    for (const writer of this.#writers.values()) writer.flushSync();
  };

  readonly dropped: FileStore["dropped"] = () =>
    [...this.#writers.values()].reduce((sum, writer) => sum + writer.dropped(), this.#dropped);

  readonly close: FileStore["close"] = async () => {
    if (this.#closed) return;
    await flushStoredRuns(this);
    this.#closed = true;
    for (const [run, writer] of [...this.#writers]) this.#letGo(run, writer);
    for (const wake of this.#followers) wake();
  };

  readonly #onError = (problem: unknown): void => {
    try {
      this.#options.onError?.(problem);
    } catch {
      // A handler that throws must not break the log, nor the agent.
    }
  };

  #folderOf(run: string): RunFolder {
    return runFolder(this.#base, folderName(run));
  }

  #prepare(run: string): void {
    if (this.#prepared) return;
    try {
      checkFolder(this.#files, this.#base);
      this.#files.makeFolder(this.#base);
      keepFromGit(this.#files, dirname(this.#base));
      if (this.#isRemote()) this.#onError(remoteFolder(this.#base));
    } catch (error) {
      throw isPhasekitError(error) ? error : storeUnavailable(run, error);
    }
    this.#prepared = true;
  }

  #isRemote(): boolean {
    try {
      return this.#files.isRemote?.(this.#base) ?? false;
    } catch {
      // It is a warning; who cannot tell does not warn.
      return false;
    }
  }

  #openWriter(run: string, events: readonly RunEvent[]): LogWriter {
    // Events that no log could take must not leave a folder behind.
    for (const event of events) encodeEvent(run, event);
    this.#prepare(run);
    const folder = this.#folderOf(run);
    checkRunFolder(this.#files, folder);
    const writer = openLogWriter({
      files: this.#files,
      processes: this.#processes,
      clock: this.#clock,
      folder,
      run,
      takeOver: this.#takeOver,
      segmentBytes: this.#segmentBytes,
      onError: this.#onError,
    });
    this.#writers.set(run, writer);
    return writer;
  }

  #afterAppend(run: string, ended: LogWriter | undefined): void {
    for (const wake of this.#followers) wake();
    if (ended !== undefined) this.#letGo(run, ended);
  }

  /** An ended run gives back its files and its lock; a resume takes new ones. */
  #letGo(run: string, writer: LogWriter): void {
    if (this.#writers.get(run) !== writer) return;
    this.#writers.delete(run);
    writer.close();
    this.#dropped += writer.dropped();
  }

  *#parts(
    run: string,
    reading: { readonly after?: number; readonly salvage?: boolean; readonly verifyOnly?: boolean } = {},
  ): ReturnType<typeof readLog> {
    try {
      return yield* readLog({ files: this.#files, folder: this.#folderOf(run), run, ...reading });
    } catch (error) {
      throw isPhasekitError(error) ? error : storeUnreadable(this.#folderOf(run).root, error);
    }
  }

  // Each batch is a chance for other work to run.
  // oxlint-disable-next-line typescript/require-await -- an async iterable by contract
  async *#read(
    run: string,
    { after = 0 }: { readonly after?: number } = {},
  ): AsyncGenerator<readonly RunEvent[], void, undefined> {
    for (const part of this.#parts(run, { after })) if ("events" in part && part.events.length > 0) yield part.events;
  }
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
