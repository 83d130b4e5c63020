import { join } from "node:path";
import { runLocked } from "../errors.ts";
import { type FileSystem, readWhole, writeNew } from "./file-system.ts";
import type { Owner, Processes } from "./process-identity.ts";
import type { RunFolder } from "./run-folder.ts";
import { parseSegmentName } from "./segment-format.ts";

/** The right to write a run: whoever holds the highest epoch. A process never changes or deletes another's record. */
export interface Lock {
  readonly epoch: number;
  readonly owner: Owner;
  /** True if another process took the run over. */
  readonly isSuperseded: () => boolean;
  /** True if its record is gone, and hence the folder of the run. */
  readonly isRemoved: () => boolean;
  /** Lets go of the run, and notes the last event that is on the disk. */
  readonly release: (durable: number) => void;
}

export interface LockOptions {
  readonly files: FileSystem;
  readonly processes: Processes;
  readonly folder: RunFolder;
  readonly run: string;
  /** Take the run even if its holder may still live. */
  readonly takeOver: boolean;
}

const RECORD = /^(\d{6})\.json$/;
const RELEASED = /^\d{6}\.released$/;

/**
 * Takes the next epoch. The record is linked under its name, which succeeds for exactly one of many contenders, and
 * only after the holder before is provably gone: no age, no heartbeat, so a suspended laptop loses nothing.
 * @throws RUN_LOCKED
 */
export function takeLock({ files, processes, folder, run, takeOver }: LockOptions): Lock {
  for (;;) {
    // Files first, records second: a record is linked before its first file is made, so a file without a record is
    // what a power cut left, and never a process that is just beginning.
    const written = Math.max(0, ...files.names(folder.log).map((name) => parseSegmentName(name)?.epoch ?? 0));
    const names = files.names(folder.epochs);
    const highest = Math.max(0, ...names.map((name) => Number(RECORD.exec(name)?.[1] ?? 0)));
    if (highest > 0 && !takeOver && !names.includes(`${record(highest)}.released`)) {
      const holder = readOwner(files, join(folder.epochs, `${record(highest)}.json`));
      if (holder === undefined || processes.isGone(holder) !== true) throw runLocked(run, describe(holder));
    }
    const epoch = Math.max(highest, written) + 1;
    const owner = processes.self();
    if (link(files, { folder, epoch, owner })) {
      const own = join(folder.epochs, `${record(epoch)}.json`);
      const successor = join(folder.epochs, `${record(epoch + 1)}.json`);
      return {
        epoch,
        owner,
        isSuperseded: () => files.stat(successor) !== undefined,
        isRemoved: () => files.stat(own) === undefined,
        release: (durable) =>
          writeNew(
            files,
            join(folder.epochs, `${record(epoch)}.released`),
            Buffer.from(`{"seq":${String(durable)}}\n`),
          ),
      };
    }
  }
}

/** The last event that was on the disk when the run was let go the last time; 0 when nothing says so. */
export function releasedAt(files: FileSystem, folder: RunFolder): number {
  const name = files
    .names(folder.epochs)
    .filter((candidate) => RELEASED.test(candidate))
    .at(-1);
  if (name === undefined || files.stat(join(folder.epochs, name))?.kind !== "file") return 0;
  try {
    const { seq } = JSON.parse(readWhole(files, join(folder.epochs, name), 1000).toString("utf8")) as { seq?: unknown };
    return typeof seq === "number" && Number.isSafeInteger(seq) && seq > 0 ? seq : 0;
  } catch {
    return 0;
  }
}

/** True if a process that provably lives holds the run: events its log lacks may still come. */
export function isHeld({ files, processes, folder }: Pick<LockOptions, "files" | "processes" | "folder">): boolean {
  const names = files.names(folder.epochs);
  const highest = Math.max(0, ...names.map((name) => Number(RECORD.exec(name)?.[1] ?? 0)));
  if (highest === 0 || names.includes(`${record(highest)}.released`)) return false;
  const holder = readOwner(files, join(folder.epochs, `${record(highest)}.json`));
  return holder !== undefined && processes.isGone(holder) === false;
}

function link(
  files: FileSystem,
  { folder, epoch, owner }: { readonly folder: RunFolder; readonly epoch: number; readonly owner: Owner },
): boolean {
  const draft = join(folder.epochs, `draft-${owner.nonce}`);
  writeNew(files, draft, Buffer.from(`${JSON.stringify({ v: 1, ...owner })}\n`));
  try {
    files.link(draft, join(folder.epochs, `${record(epoch)}.json`));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    files.remove(draft);
  }
}

const record = (epoch: number): string => String(epoch).padStart(6, "0");

function readOwner(files: FileSystem, path: string): Owner | undefined {
  try {
    const owner = JSON.parse(readWhole(files, path, 10_000).toString("utf8")) as Partial<Owner>;
    return typeof owner.pid === "number"
      ? {
          pid: owner.pid,
          start: owner.start ?? "",
          boot: owner.boot ?? "",
          host: owner.host ?? "",
          space: owner.space ?? "",
          nonce: owner.nonce ?? "",
        }
      : undefined;
  } catch {
    return undefined;
  }
}

function describe(owner: Owner | undefined): string {
  return owner === undefined
    ? "a process that left no readable record"
    : `process ${String(owner.pid)} on "${owner.host}"`;
}
