import { join } from "node:path";
import { runLocked } from "../errors.ts";
import { type FileSystem, readWhole, writeNew } from "./file-system.ts";
import type { Owner, Processes } from "./process-identity.ts";
import type { RunFolder } from "./run-folder.ts";
import { parseSegmentName } from "./segment-format.ts";

/** The right to write a run: whoever holds the highest epoch. Nobody ever changes or deletes another's record. */
export interface Lock {
  readonly epoch: number;
  readonly owner: Owner;
  /** Whether another process took the run over. */
  readonly isSuperseded: () => boolean;
  /** Whether its record is gone, and hence the folder of the run. */
  readonly isRemoved: () => boolean;
  readonly release: () => void;
}

export interface LockOptions {
  readonly files: FileSystem;
  readonly processes: Processes;
  readonly folder: RunFolder;
  readonly run: string;
  /** Take the run even when nobody can prove that its holder is gone. */
  readonly takeOver: boolean;
}

const RECORD = /^(\d{6})\.json$/;

/**
 * Takes the next epoch. The record is linked under its name, which succeeds for exactly one of many contenders, and
 * only after the holder before is provably gone: no age, no heartbeat, so a suspended laptop loses nothing.
 * @throws RUN_LOCKED
 */
export function takeLock({ files, processes, folder, run, takeOver }: LockOptions): Lock {
  for (;;) {
    // Files first, records second: a record is linked before its first file is made, so a file without a record is
    // what a power cut left, and never somebody who is just beginning.
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
        isSuperseded: () => files.facts(successor) !== undefined,
        isRemoved: () => files.facts(own) === undefined,
        release: () => writeNew(files, join(folder.epochs, `${record(epoch)}.released`), Buffer.from("{}\n")),
      };
    }
  }
}

/** Whether a process that provably lives holds the run: what its log lacks may still come. */
export function isHeld({ files, processes, folder }: Pick<LockOptions, "files" | "processes" | "folder">): boolean {
  const names = files.names(folder.epochs);
  const highest = Math.max(0, ...names.map((name) => Number(RECORD.exec(name)?.[1] ?? 0)));
  if (highest === 0 || names.includes(`${record(highest)}.released`)) return false;
  const holder = readOwner(files, join(folder.epochs, `${record(highest)}.json`));
  return holder !== undefined && processes.isGone(holder) === false;
}

function link(files: FileSystem, { folder, epoch, owner }: { readonly folder: RunFolder; readonly epoch: number; readonly owner: Owner }): boolean {
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
    return typeof owner.pid === "number" ? { pid: owner.pid, start: owner.start ?? "", boot: owner.boot ?? "", host: owner.host ?? "", space: owner.space ?? "", nonce: owner.nonce ?? "" } : undefined;
  } catch {
    return undefined;
  }
}

function describe(owner: Owner | undefined): string {
  return owner === undefined ? "a process that left no readable record" : `process ${String(owner.pid)} on "${owner.host}"`;
}
