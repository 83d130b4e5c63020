import { dirname } from "node:path";
import type { FileStats, FileSystem } from "../file-system.ts";

interface Unsynced {
  readonly position: number;
  readonly bytes: Buffer;
}

interface MemoryFile {
  data: Buffer;
  size: number;
  /** The bytes that are on the disk, and the writes that may or may not be. */
  synced: Buffer;
  unsynced: Unsynced[];
}

/** A disk in memory that knows what a power cut would leave of it. */
export interface MemoryFiles extends FileSystem {
  readonly paths: () => readonly string[];
  readonly get: (path: string) => Buffer;
  readonly set: (path: string, bytes: Buffer) => void;
  /** A copy as it is now. */
  readonly copy: () => MemoryFiles;
  /** A disk as a power cut may leave it: any part of what was not synced is lost, in any order, torn at blocks. */
  readonly powerCut: (random: () => number) => MemoryFiles;
}

const BLOCK = 512;

export function memoryFiles(
  names: ReadonlyMap<string, MemoryFile> = new Map(),
  folders: ReadonlySet<string> = new Set(),
): MemoryFiles {
  const files = new Map(names);
  const made = new Set(folders);
  /** Names that are on the disk whatever happens. */
  const kept = new Set(names.keys());
  const open = new Map<number, { readonly file: MemoryFile; at: number }>();
  let nextFile = 10;

  const fail = (code: string, path: string): never => {
    throw Object.assign(new Error(`${code}: ${path}`), { code });
  };
  const opened = (file: number): { readonly file: MemoryFile; at: number } =>
    open.get(file) ?? fail("EBADF", String(file));
  const start = (file: MemoryFile): number => {
    const number = nextFile++;
    open.set(number, { file, at: 0 });
    return number;
  };
  const put = (file: MemoryFile, position: number, bytes: Uint8Array): void => {
    const end = position + bytes.byteLength;
    if (end > file.data.length) {
      const grown = Buffer.alloc(Math.max(end, file.data.length * 2));
      file.data.copy(grown);
      file.data = grown;
    }
    file.data.set(bytes, position);
    file.size = Math.max(file.size, end);
  };
  const settle = (file: MemoryFile): void => {
    file.synced = Buffer.from(file.data.subarray(0, file.size));
    file.unsynced = [];
  };
  const whole = (bytes: Buffer): MemoryFile => ({
    data: Buffer.from(bytes),
    size: bytes.length,
    synced: Buffer.from(bytes),
    unsynced: [],
  });

  return {
    create: (path) => {
      if (files.has(path)) fail("EEXIST", path);
      if (!made.has(dirname(path))) fail("ENOENT", path);
      const file: MemoryFile = { data: Buffer.alloc(0), size: 0, synced: Buffer.alloc(0), unsynced: [] };
      files.set(path, file);
      return start(file);
    },
    openToRead: (path) => start(files.get(path) ?? fail("ENOENT", path)),
    write: (number, bytes, position) => {
      const state = opened(number);
      const at = position ?? state.at;
      put(state.file, at, bytes);
      state.file.unsynced.push({ position: at, bytes: Buffer.from(bytes) });
      if (position === undefined) state.at += bytes.byteLength;
      return bytes.byteLength;
    },
    read: (number, into, position) => {
      const { file } = opened(number);
      const bytes = file.data.subarray(position, Math.min(file.size, position + into.byteLength));
      into.set(bytes);
      return bytes.length;
    },
    sync: (number) => settle(opened(number).file),
    syncLater: (number) => {
      const { file } = opened(number);
      return Promise.resolve().then(() => settle(file));
    },
    syncFolder: (path) => {
      for (const name of files.keys()) if (dirname(name) === path) kept.add(name);
    },
    close: (number) => {
      if (!open.delete(number)) fail("EBADF", String(number));
    },
    size: (number) => opened(number).file.size,
    stat: (path): FileStats | undefined => {
      const file = files.get(path);
      if (file !== undefined) return { kind: "file", size: file.size, mode: 0o600 };
      return made.has(path) ? { kind: "folder", size: 0, mode: 0o700 } : undefined;
    },
    names: (path) =>
      [
        ...new Set(
          [...files.keys(), ...made]
            .filter((name) => name.startsWith(`${path}/`))
            .map((name) => name.slice(path.length + 1).split("/")[0] ?? ""),
        ),
      ].sort(),
    makeFolder: (path) => {
      for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) made.add(folder);
    },
    link: (path, name) => {
      if (files.has(name)) fail("EEXIST", name);
      files.set(name, files.get(path) ?? fail("ENOENT", path));
    },
    rename: (from, to) => {
      for (const name of [...files.keys()].filter(
        (candidate) => candidate === from || candidate.startsWith(`${from}/`),
      )) {
        files.set(to + name.slice(from.length), files.get(name) as MemoryFile);
        files.delete(name);
      }
      for (const name of [...made].filter((candidate) => candidate === from || candidate.startsWith(`${from}/`))) {
        made.delete(name);
        made.add(to + name.slice(from.length));
      }
    },
    remove: (path) => {
      for (const name of [...files.keys()]) if (name === path || name.startsWith(`${path}/`)) files.delete(name);
      for (const name of [...made]) if (name === path || name.startsWith(`${path}/`)) made.delete(name);
    },
    paths: () => [...files.keys()],
    get: (path) => {
      const file = files.get(path) ?? fail("ENOENT", path);
      return Buffer.from(file.data.subarray(0, file.size));
    },
    set: (path, bytes) => void files.set(path, whole(bytes)),
    copy: () =>
      memoryFiles(new Map([...files].map(([path, file]) => [path, whole(file.data.subarray(0, file.size))])), made),
    powerCut: (random) => {
      const left = new Map<string, MemoryFile>();
      for (const [path, file] of files) {
        if (!kept.has(path) && random() < 0.5) continue;
        const after = whole(file.synced);
        for (const { position, bytes } of file.unsynced) {
          const luck = random();
          if (luck < 0.35) continue;
          if (luck < 0.6) put(after, position, bytes);
          else if (luck < 0.8) put(after, position, bytes.subarray(0, Math.floor(random() * (bytes.length + 1))));
          else
            for (let block = 0; block < bytes.length; block += BLOCK)
              put(
                after,
                position + block,
                random() < 0.5
                  ? bytes.subarray(block, block + BLOCK)
                  : Buffer.alloc(Math.min(BLOCK, bytes.length - block)),
              );
        }
        settle(after);
        left.set(path, after);
      }
      return memoryFiles(left, made);
    },
  };
}
