import { randomUUID } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  writeSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isPhasekitError } from "@phasekit/core";
import { readBounded } from "../../config/read-bounded.ts";
import { cannotRead, unwritableSettings, settingsChanged, unreadableSettings } from "../../errors.ts";
import type { ByteText } from "./byte-text.ts";

/** A change of one file. */
export interface FileEdit {
  readonly path: string;
  /** The bytes the change was made from; undefined if there was no file. */
  readonly before: ByteText | undefined;
  /** The bytes the file gets; undefined removes it. */
  readonly after: ByteText | undefined;
  /** The mode of a file that is not there yet. @default 0o600 */
  readonly mode?: number;
  /** A file of Phasekit's own: written whatever is there, with `mode`. @default false */
  readonly isOwn?: boolean;
}

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_LINKS = 40;

/**
 * Reads a file for an edit, through links; undefined if there is none.
 * @throws UNREADABLE_SETTINGS if it is not a file or has more than 64 MB, CANNOT_READ
 */
export function readForEdit(path: string): ByteText | undefined {
  try {
    return readBounded(path, { maxBytes: MAX_BYTES }).toString("latin1");
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    if (code === "EACCES" || code === "EPERM") throw cannotRead(path, messageOf(error));
    throw unreadableSettings(path, messageOf(error));
  }
}

/**
 * Changes files that are there, all or none: the files that links name, with their mode and owner. New content is
 * written beside each file first. It takes the file's place only if the file still is as it was read.
 * @throws SETTINGS_CHANGED, UNWRITABLE_SETTINGS
 */
export function editFiles(edits: readonly FileEdit[]): void {
  const folders: string[] = [];
  const drafts: Draft[] = [];
  const done: FileEdit[] = [];
  try {
    for (const edit of edits) if (!isDone(edit)) drafts.push(prepare(edit, folders));
    for (const draft of drafts) checkUnchanged(draft);
    for (const draft of drafts) {
      checkUnchanged(draft);
      done.push(putInPlace(draft));
    }
  } catch (error) {
    for (const { part } of drafts) if (part !== undefined) rmSync(part, { force: true });
    if (done.length > 0) takeBack(done.reverse());
    removeFolders(folders);
    throw error;
  }
}

/** True if there is nothing to do. */
function isDone({ path, before, after, mode = 0o600, isOwn = false }: FileEdit): boolean {
  return isOwn ? modeOf(path) === mode && readForEdit(path) === after : before === after;
}

/** Removes folders that are empty, the deepest first. */
export function removeFolders(folders: readonly string[]): void {
  for (const folder of [...folders].sort((a, b) => b.length - a.length)) {
    try {
      rmdirSync(folder);
    } catch {
      // It holds something, or is gone.
    }
  }
}

/** The folders on the way to a file that do not exist, as links name them. */
export function missingFolders(path: string): readonly string[] {
  const missing: string[] = [];
  let folder = dirname(namedFile(path));
  while (lstatSync(folder, { throwIfNoEntry: false }) === undefined && dirname(folder) !== folder) {
    missing.push(folder);
    folder = dirname(folder);
  }
  return missing.reverse();
}

/** The mode of a file, through links; undefined if there is none. */
export function modeOf(path: string): number | undefined {
  const stats = lstatSync(namedFile(path), { throwIfNoEntry: false });
  return stats === undefined ? undefined : stats.mode & 0o7777;
}

/** A change with its content beside the file. */
interface Draft {
  readonly edit: FileEdit;
  /** The file that the path names, behind all links. */
  readonly file: string;
  readonly stats: Stats | undefined;
  /** The bytes that are there now. */
  readonly current: ByteText | undefined;
  readonly part: string | undefined;
}

function prepare(edit: FileEdit, folders: string[]): Draft {
  const { path, after } = edit;
  try {
    const file = namedFile(path);
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (edit.isOwn !== true) refuse(path, stats);
    const current = readForEdit(file);
    const draft = { edit, file, stats, current };
    if (edit.isOwn !== true && current !== edit.before) throw settingsChanged(path);
    if (after === undefined) return { ...draft, part: undefined };
    for (const folder of missingFolders(file)) {
      mkdirSync(folder, { mode: 0o755 });
      folders.push(folder);
    }
    // The name ends in a way that no agent loads.
    const part = join(dirname(file), `.${basename(file)}.${randomUUID()}.part`);
    writePart(part, edit, stats);
    return { ...draft, part };
  } catch (error) {
    throw isPhasekitError(error) ? error : unwritableSettings(path, messageOf(error));
  }
}

/** Refuses files that must not be replaced. */
function refuse(path: string, stats: Stats | undefined): void {
  if (stats === undefined) return;
  if (!stats.isFile()) throw unreadableSettings(path, "it is not a file");
  if ((stats.mode & 0o200) === 0) throw unwritableSettings(path, "it is read-only");
  if (stats.nlink > 1) throw unwritableSettings(path, "it has a second name (a hard link)");
}

function writePart(
  part: string,
  { after = "", mode = 0o600, isOwn = false }: FileEdit,
  stats: Stats | undefined,
): void {
  const file = openSync(part, "wx", 0o600);
  try {
    const bytes = Buffer.from(after, "latin1");
    for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
    if (stats === undefined || isOwn) fchmodSync(file, mode);
    else {
      if (process.getuid?.() !== stats.uid || process.getgid?.() !== stats.gid) fchownSync(file, stats.uid, stats.gid);
      fchmodSync(file, stats.mode & 0o7777);
    }
    fsyncSync(file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Compares again: another program, or the user, may have changed the file. */
function checkUnchanged({ edit: { path, before, isOwn }, file, stats }: Draft): void {
  if (isOwn === true) return;
  const now = lstatSync(file, { throwIfNoEntry: false });
  const isSame =
    namedFile(path) === file &&
    now?.mode === stats?.mode &&
    now?.uid === stats?.uid &&
    now?.gid === stats?.gid &&
    readForEdit(file) === before;
  if (!isSame) throw settingsChanged(path);
}

/** Returns the edit that takes it back. */
function putInPlace({ edit, file, stats, current, part }: Draft): FileEdit {
  const { path, after, isOwn } = edit;
  try {
    if (part === undefined) rmSync(file, { force: true });
    else renameSync(part, file);
    syncFolder(dirname(file));
  } catch (error) {
    throw unwritableSettings(path, messageOf(error));
  }
  return {
    path,
    before: after,
    after: current,
    ...(stats !== undefined && { mode: stats.mode & 0o7777 }),
    ...(isOwn !== undefined && { isOwn }),
  };
}

function takeBack(edits: readonly FileEdit[]): void {
  for (const edit of edits) {
    try {
      putInPlace(prepare(edit, []));
    } catch {
      // The file changed since, so it is not ours to restore.
    }
  }
}

/** After a power failure the folder names either the old file or the new one. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const opened = openSync(folder, "r");
  try {
    fsyncSync(opened);
  } catch {
    // Some file systems cannot.
  } finally {
    closeSync(opened);
  }
}

/** The file that a path names behind all links, also if it is not there yet. */
function namedFile(path: string, links = 0): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT" || links > MAX_LINKS || dirname(path) === path) throw error;
  }
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  const folder = namedFile(dirname(path), links + 1);
  return isLink ? namedFile(resolve(folder, readlinkSync(path)), links + 1) : join(folder, basename(path));
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException | undefined)?.code;
