import * as fs from "node:fs";
import { promisify } from "node:util";
import { syncBySpeed } from "./sync-by-speed.ts";

/** Properties of a path. */
export interface FileStats {
  readonly kind: "file" | "folder" | "other";
  readonly size: number;
  readonly mode: number;
  /** Tells the file from every other one; absent where that cannot be known. */
  readonly id?: string;
}

/** The file operations the store makes. Pass another one to see what a full, slow or broken disk does to it. */
export interface FileSystem {
  /**
   * Creates a file for writing; fails when there is one. With `appends` every write goes to its end, wherever that is.
   */
  readonly create: (path: string, options?: { readonly appends?: boolean }) => number;
  readonly openToRead: (path: string) => number;
  /** Bytes written: fewer than given is a failure. Without a position it appends. */
  readonly write: (file: number, bytes: Uint8Array, position?: number) => number;
  readonly read: (file: number, into: Uint8Array, position: number) => number;
  /** Returns when the bytes of the file are on the disk. */
  readonly sync: (file: number) => void;
  /** Syncs, and may let others work meanwhile. */
  readonly syncLater: (file: number) => Promise<void>;
  /** Returns when the names in a folder are on the disk. */
  readonly syncFolder: (path: string) => void;
  readonly close: (file: number) => void;
  readonly size: (file: number) => number;
  /** Does not follow links; `undefined` when there is nothing. */
  readonly stat: (path: string) => FileStats | undefined;
  /** Names in a folder; none when there is no such folder. */
  readonly names: (path: string) => readonly string[];
  readonly makeFolder: (path: string) => void;
  /** Gives a file a second name; fails when that name is taken. */
  readonly link: (path: string, name: string) => void;
  readonly rename: (from: string, to: string) => void;
  /** Removes a file or a folder with all in it; nothing happens when there is none. */
  readonly remove: (path: string) => void;
  /** Tells an open file from every other one, as `stat` does by path. Absent where that cannot be known. */
  readonly idOf?: (file: number) => string;
  /** True if a folder is on another machine. Absent where that cannot be known. */
  readonly isRemote?: (path: string) => boolean;
}

// Windows has no such flags. Without the second one, opening a pipe that another process put there never returns.
const { O_NOFOLLOW: NO_FOLLOW = 0, O_NONBLOCK: NO_WAIT = 0 } = fs.constants as Readonly<
  Partial<Record<string, number>>
>;
const CREATE = fs.constants.O_CREAT | fs.constants.O_EXCL | fs.constants.O_RDWR;
/**
 * File systems of other machines, by their numbers in Linux: NFS, SMB, CIFS, 9p, AFS, Ceph, Lustre, GPFS, Coda, NCP.
 */
const REMOTE: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x01021997, 0x5346414f, 0x00c36400, 0x0bd00bd0, 0x47504653, 0x73757245,
  0x564c,
]);

/** The file system of this machine. Files are readable by their owner only. */
export function nodeFileSystem(): FileSystem {
  return {
    create: (path, { appends = false } = {}) =>
      fs.openSync(path, CREATE | (appends ? fs.constants.O_APPEND : 0), 0o600),
    openToRead: (path) => fs.openSync(path, fs.constants.O_RDONLY | NO_FOLLOW | NO_WAIT),
    write: (file, bytes, position) => fs.writeSync(file, bytes, 0, bytes.byteLength, position ?? null),
    read: (file, into, position) => fs.readSync(file, into, 0, into.byteLength, position),
    sync: (file) => fs.fdatasyncSync(file),
    syncLater: syncBySpeed({
      direct: fs.fdatasyncSync,
      inBackground: promisify(fs.fdatasync),
      now: () => performance.now(),
    }),
    syncFolder: (path) => {
      // Windows cannot sync a folder; its file system keeps names by itself.
      if (process.platform === "win32") return;
      const folder = fs.openSync(path, fs.constants.O_RDONLY);
      try {
        fs.fsyncSync(folder);
      } finally {
        fs.closeSync(folder);
      }
    },
    close: (file) => fs.closeSync(file),
    size: (file) => fs.fstatSync(file).size,
    stat: (path) => {
      const stats = fs.lstatSync(path, { throwIfNoEntry: false });
      if (stats === undefined) return undefined;
      return {
        kind: stats.isFile() ? "file" : stats.isDirectory() ? "folder" : "other",
        size: stats.size,
        mode: stats.mode & 0o7777,
        id: idOf(stats),
      };
    },
    idOf: (file) => idOf(fs.fstatSync(file)),
    names: (path) => {
      try {
        return fs.readdirSync(path).sort();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
        throw error;
      }
    },
    makeFolder: (path) => void fs.mkdirSync(path, { recursive: true, mode: 0o700 }),
    link: (path, name) => fs.linkSync(path, name),
    rename: (from, to) => fs.renameSync(from, to),
    remove: (path) => fs.rmSync(path, { recursive: true, force: true }),
    isRemote: (path) => process.platform === "linux" && REMOTE.has(fs.statfsSync(path).type >>> 0),
  };
}

function idOf({ dev, ino }: fs.Stats): string {
  return `${String(dev)}:${String(ino)}`;
}

/** The bytes of a whole file, or as much as the limit allows. */
export function readWhole(files: FileSystem, path: string, limit: number): Buffer {
  const file = files.openToRead(path);
  try {
    const bytes = Buffer.alloc(Math.min(files.size(file), limit));
    const length = readFully(files, file, { into: bytes, position: 0 });
    return bytes.subarray(0, length);
  } finally {
    files.close(file);
  }
}

/** Reads until the buffer is full or the file ends. */
export function readFully(
  files: FileSystem,
  file: number,
  { into, position }: { readonly into: Uint8Array; readonly position: number },
): number {
  let done = 0;
  while (done < into.byteLength) {
    const count = files.read(file, into.subarray(done), position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}

/** Writes a small new file and makes sure that it is on the disk; nothing is left of one that failed. */
export function writeNew(files: FileSystem, path: string, bytes: Uint8Array): void {
  const file = files.create(path);
  let whole = false;
  try {
    whole = files.write(file, bytes) === bytes.byteLength;
    if (whole) files.sync(file);
  } catch (error) {
    whole = false;
    throw error;
  } finally {
    files.close(file);
    if (!whole) files.remove(path);
  }
  if (!whole) throw new Error(`"${path}" was written only in part`);
}
