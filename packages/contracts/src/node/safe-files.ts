import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, realpath } from "node:fs/promises";
import { join } from "node:path";

/** Why a file or folder is refused. */
export interface FileRefusal {
  readonly ok: false;
  readonly reason:
    | "missing"
    | "link"
    | "not-a-file"
    | "not-a-folder"
    | "too-large"
    | "escapes-root"
    | "exists"
    | "other-content"
    | "io";
  readonly detail: string;
}

/** Bytes that were read from a regular file, or why not. */
export type FileRead = { readonly ok: true; readonly bytes: Uint8Array } | FileRefusal;

/** A path through a folder's descriptor cannot be redirected by a link. Node has it only on Linux. */
const HAS_DESCRIPTOR_PATHS = process.platform === "linux";

/** A folder that is held open, so that it cannot be replaced by another one. */
export interface HeldFolder {
  /** A path to something in it. */
  readonly at: (name: string) => string;
  readonly close: () => Promise<void>;
}

/** Reads a file only if it is a regular one: no link, no pipe that blocks, no device without end. */
export async function readRegularFile(path: string, { maxBytes }: { readonly maxBytes: number }): Promise<FileRead> {
  let handle: FileHandle;
  try {
    // Windows has no flag that refuses a link, so there the link is looked for first.
    if (!("O_NOFOLLOW" in constants) && (await lstat(path)).isSymbolicLink())
      return { ok: false, reason: "link", detail: "it is a link" };
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return refusalOf(error, path);
  }
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) return { ok: false, reason: "not-a-file", detail: "it is not a regular file" };
    if (stats.size > maxBytes)
      return { ok: false, reason: "too-large", detail: `it has ${stats.size} bytes; the limit is ${maxBytes}` };
    // One byte more than allowed, for a file that grows or lies about its size.
    const buffer = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      length += bytesRead;
      if (bytesRead === 0 || length > maxBytes) break;
    }
    return length > maxBytes
      ? { ok: false, reason: "too-large", detail: `it has more than ${maxBytes} bytes` }
      : { ok: true, bytes: buffer.subarray(0, length) };
  } finally {
    await handle.close();
  }
}

/**
 * Opens a folder below a root, one part at a time and never through a link. With `create`, missing parts are created.
 * The root itself may be a link: the host chose it.
 */
export async function holdFolder(
  root: string,
  parts: readonly string[],
  { create = false }: { readonly create?: boolean } = {},
): Promise<HeldFolder | FileRefusal> {
  let real: string;
  try {
    real = await realpath(root);
  } catch (error) {
    return refusalOf(error, root);
  }
  return HAS_DESCRIPTOR_PATHS ? holdByDescriptor(real, parts, create) : holdByPath(real, parts, create);
}

async function holdByDescriptor(
  real: string,
  parts: readonly string[],
  create: boolean,
): Promise<HeldFolder | FileRefusal> {
  let handle: FileHandle;
  try {
    handle = await open(real, constants.O_RDONLY | constants.O_DIRECTORY);
  } catch (error) {
    return refusalOf(error, real);
  }
  for (const part of parts) {
    const path = `/proc/self/fd/${handle.fd}/${part}`;
    let next: FileHandle;
    try {
      if (create) await makeFolder(path);
      next = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    } catch (error) {
      // Check while the folder is still held, so that the answer is about this part.
      const refusal = await refusalForFolder(error, path, part);
      await handle.close();
      return refusal;
    }
    await handle.close();
    handle = next;
  }
  const held = handle;
  return { at: (name) => `/proc/self/fd/${held.fd}/${name}`, close: () => held.close() };
}

async function holdByPath(real: string, parts: readonly string[], create: boolean): Promise<HeldFolder | FileRefusal> {
  let folder = real;
  for (const part of parts) {
    folder = join(folder, part);
    try {
      if (create) await makeFolder(folder);
      const stats = await lstat(folder);
      if (!stats.isDirectory()) return kindRefusal(stats, part);
    } catch (error) {
      return refusalForFolder(error, folder, part);
    }
  }
  // Detects links that were created meanwhile.
  if ((await realpath(folder)) !== folder)
    return { ok: false, reason: "escapes-root", detail: "a folder of the path is a link" };
  return { at: (name) => join(folder, name), close: () => Promise.resolve() };
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o755 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

async function refusalForFolder(error: unknown, path: string, part: string): Promise<FileRefusal> {
  try {
    const stats = await lstat(path);
    return stats.isDirectory() ? refusalOf(error, part) : kindRefusal(stats, part);
  } catch {
    return refusalOf(error, part);
  }
}

function kindRefusal(stats: Stats, part: string): FileRefusal {
  return stats.isSymbolicLink()
    ? { ok: false, reason: "link", detail: `the folder ${JSON.stringify(part)} is a link` }
    : { ok: false, reason: "not-a-folder", detail: `${JSON.stringify(part)} is not a folder` };
}

/** Converts a file system error to a refusal. */
export function refusalOf(error: unknown, path: string): FileRefusal {
  const { code = "", message } = error as NodeJS.ErrnoException;
  switch (code) {
    case "ENOENT":
      return { ok: false, reason: "missing", detail: "it does not exist" };
    case "ELOOP":
    case "EMLINK":
      return { ok: false, reason: "link", detail: "it is a link" };
    case "ENOTDIR":
      return { ok: false, reason: "not-a-folder", detail: "a part of the path is not a folder" };
    case "ENXIO":
    case "EISDIR":
      return { ok: false, reason: "not-a-file", detail: "it is not a regular file" };
    default:
      return { ok: false, reason: "io", detail: code === "" ? `${path}: ${message}` : code };
  }
}
