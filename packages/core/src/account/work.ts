import type { EventOf, RunEvent } from "../events/run-event.ts";
import { isUnread } from "../events/is-unread.ts";
import { setBounded } from "../text/bounded.ts";
import { matchesGlob } from "../text/glob.ts";
import { callFailed, type CallChange, callWorked, changeLanded, changesOf } from "./call.ts";
import { notesOf } from "./coding-notes.ts";
import { type FileKind, kindOfFile } from "./file-kind.ts";
import { isSamePath, isUnexpanded, placeInProject, plainPath } from "./project-path.ts";
import { isTestFile } from "./test-file.ts";

/** A file of the project that the run changed, and that is still changed. */
export interface WorkFile {
  /** The path as in the log; empty if a call changed files it does not name. Foreign text. */
  readonly path: string;
  readonly kind: FileKind;
  /** The last change: its place in the log, and the number of the call, from 1. */
  readonly seq: number;
  readonly call: number;
  /** The last change a check could tell from the one before; 0 if there is none, as for documents. */
  readonly needsSince: number;
}

/** The work of a run so far. Bounded: the files that changed first are forgotten first. */
export interface Work {
  /** The folder of the project, if the host told it. */
  folder: string | undefined;
  /** By their place in the project, the last one changed at the end. */
  files: Map<string, WorkFile>;
  /** The files as they are committed, for a change that is taken back. */
  committed: Map<string, WorkFile>;
  /** The files that were put aside with `git stash`. */
  stashed: Map<string, WorkFile> | undefined;
  /** Files that were written to try something out, or outside the project. */
  readonly scratch: Set<string>;
  /** Test files that the run wrote whole before it changed them in another way: its own. */
  readonly ownTests: Set<string>;
  /** Test files that the run has read before: they were there. */
  readonly foundTests: Set<string>;
  /** Tests that were removed, skipped or loosened, in words, with the `seq` of the last call that did it. */
  readonly weakened: Map<string, number>;
  /** Changes of the work that landed, and the last change that was taken back while other work stayed. */
  changes: number;
  takenBackSeq: number;
  /** Calls that could not be read, and the last of them: each may have changed anything. */
  unread: number;
  lastUnreadSeq: number;
  /** Calls so far, and the numbers of those that have not finished. */
  calls: number;
  readonly open: Map<string, number>;
  /** The host's own count of changed files, and where it stands. */
  observed: { readonly seq: number; readonly files: number } | undefined;
}

const MAX_FILES = 2048;
const MAX_OPEN = 1000;
const MAX_WEAKENED = 16;

/** A run that has done nothing. */
export function createWork(): Work {
  return {
    folder: undefined,
    files: new Map(),
    committed: new Map(),
    stashed: undefined,
    scratch: new Set(),
    ownTests: new Set(),
    foundTests: new Set(),
    weakened: new Map(),
    changes: 0,
    takenBackSeq: 0,
    unread: 0,
    lastUnreadSeq: 0,
    calls: 0,
    open: new Map(),
    observed: undefined,
  };
}

/** Folds one event into the work of a run. */
export function foldWork(work: Work, event: RunEvent): void {
  switch (event.type) {
    case "run.started":
      work.folder = event.folder;
      return;
    case "tool.requested":
      openCall(work, event.call);
      return;
    case "tool.finished":
      foldCall(work, event, closeCall(work, event.call));
      return;
    case "event.rejected":
      if (isLostResult(event)) foldUnread(work, event);
      return;
    case "child.finished":
      for (const path of event.changed ?? []) write(work, path, { seq: event.seq, call: work.calls, needs: true });
      return;
    case "workspace.observed": {
      const lines = (event.linesAdded ?? 0) + (event.linesRemoved ?? 0);
      work.observed = { seq: event.seq, files: event.filesChanged ?? event.paths?.length ?? lines };
      return;
    }
    default:
      return;
  }
}

/** The last change of the work that is still there. */
export function lastChange({ files }: Pick<Work, "files">): WorkFile | undefined {
  let last: WorkFile | undefined;
  for (const file of files.values()) last = file;
  return last;
}

/** The number of the call an event is about; the last one if the event names none. */
export function callNumber({ open, calls }: Pick<Work, "open" | "calls">, call: string | undefined): number {
  return (call === undefined ? undefined : open.get(call)) ?? calls;
}

/** True if a path names a file that was only written to try something out. */
export function isScratchPath({ scratch }: Pick<Work, "scratch">, path: string): boolean {
  const plain = plainPath(path);
  if (scratch.has(plain)) return true;
  for (const known of scratch) if (isSamePath(known, plain)) return true;
  return false;
}

/** True if the result of a call could not be recorded. A second result of the same call is not lost. */
function isLostResult({ rejected, issues }: EventOf<"event.rejected">): boolean {
  return rejected === "tool.finished" && issues.some(({ path }) => path !== "call");
}

function openCall(work: Work, call: string | undefined): void {
  if (call !== undefined && work.open.has(call)) return;
  work.calls += 1;
  if (call !== undefined && work.open.size < MAX_OPEN) work.open.set(call, work.calls);
}

/** The number of a call that has finished. A result without a request is a call of its own. */
function closeCall(work: Work, call: string | undefined): number {
  const known = call === undefined ? undefined : work.open.get(call);
  if (call !== undefined) work.open.delete(call);
  if (known === undefined) work.calls += 1;
  return known ?? work.calls;
}

function foldUnread(work: Work, { seq }: Pick<RunEvent, "seq">): void {
  work.unread += 1;
  work.lastUnreadSeq = seq;
}

function foldCall(work: Work, event: EventOf<"tool.finished">, call: number): void {
  const { meaning, outcome, seq } = event;
  if (outcome === "denied") return;
  if (isUnread(event)) foldUnread(work, event);
  const notes = notesOf(meaning);
  if (meaning.activity === "read" && callWorked(event))
    for (const path of meaning.targets ?? []) noteFoundTest(work, path);
  // A formatter changes nothing that a check would see.
  const changes = notes.formats === true ? [] : changesOf(event);
  // A patch that names no file has changed something all the same.
  if (
    changes.length === 0 &&
    notes.edits === undefined &&
    notes.formats !== true &&
    changeLanded(event) &&
    notes.scratch !== true
  )
    write(work, "", { seq, call, needs: true });
  for (const path of notes.addsTests ?? []) noteOwnTest(work, path);
  noteWeakened(work, event);
  for (const { path, how } of changes) {
    if (how === "write" && notes.scratch !== true)
      write(work, path, { seq, call, needs: notes.comments !== true && notes.documents !== true });
    else if (how === "write") noteScratch(work, path);
    else takeAway(work, { path, how }, seq);
  }
  if (meaning.delivers?.includes("commit") === true && !callFailed(event))
    for (const [key, file] of work.files) setBounded(work.committed, [key, file], MAX_FILES);
}

function write(
  work: Work,
  path: string,
  { seq, call, needs }: { readonly seq: number; readonly call: number; readonly needs: boolean },
): void {
  const place = path === "" ? "" : placeInProject(path, work.folder);
  if (place === undefined || (path !== "" && work.scratch.has(plainPath(path)))) {
    noteScratch(work, path);
    return;
  }
  const kind = path === "" ? "code" : kindOfFile(place);
  const isRun = needs && kind !== "documents" && kind !== "data";
  const needsSince = isRun ? seq : (work.files.get(place)?.needsSince ?? 0);
  setBounded(work.files, [place, { path, kind, seq, call, needsSince }], MAX_FILES);
  work.changes += 1;
}

function noteScratch({ scratch }: Work, path: string): void {
  if (!isUnexpanded(path) && scratch.size < MAX_FILES) scratch.add(plainPath(path));
}

function noteFoundTest({ foundTests, ownTests, folder }: Work, path: string): void {
  const place = isTestFile(path) ? placeInProject(path, folder) : undefined;
  if (place !== undefined && !ownTests.has(place) && foundTests.size < MAX_FILES) foundTests.add(place);
}

function noteOwnTest({ ownTests, foundTests, files, folder }: Work, path: string): void {
  const place = placeInProject(path, folder);
  if (place === undefined || files.has(place) || foundTests.has(place)) return;
  if (ownTests.size < MAX_FILES) ownTests.add(place);
}

/** Notes the tests that a landed call removes, skips or loosens. A test file that the run wrote itself may go again. */
function noteWeakened({ weakened, ownTests, folder }: Work, event: EventOf<"tool.finished">): void {
  const { weakens = [], removes = [], addsTests = [] } = notesOf(event.meaning);
  if ((weakens.length === 0 && removes.length === 0) || !changeLanded(event)) return;
  const isGone = (path: string): boolean =>
    isTestFile(path) && !addsTests.includes(path) && !ownTests.has(placeInProject(path, folder) ?? path);
  for (const what of [...weakens, ...removes.filter(isGone).map((path) => `${path}: deleted`)])
    if (weakened.has(what) || weakened.size < MAX_WEAKENED) weakened.set(what, event.seq);
}

/** A file that is removed, put back or put aside is no work any more; one that is committed stays as it was then. */
function takeAway(work: Work, { path, how }: CallChange, seq: number): void {
  if (how === "unstash") {
    putBack(work);
    return;
  }
  const gone = [...work.files].filter(([place, file]) => path === "" || covers(path, place, file));
  if (gone.length === 0) return;
  if (how === "stash") work.stashed = new Map(gone);
  for (const [place] of gone) {
    const committed = how === "remove" ? undefined : work.committed.get(place);
    if (committed === undefined) work.files.delete(place);
    else work.files.set(place, committed);
  }
  sortFiles(work);
  if (how === "restore" && work.files.size > 0) work.takenBackSeq = seq;
}

/** True if a path of a command names a file of the work, its folder, or a pattern for it. */
function covers(path: string, place: string, file: WorkFile): boolean {
  const plain = plainPath(path).replace(/\/$/, "");
  if (plain === "." || isSamePath(plain, place) || isSamePath(plain, plainPath(file.path))) return true;
  if (place.startsWith(`${plain}/`) || plainPath(file.path).includes(`/${plain}/`)) return true;
  return (
    plain.includes("*") && (matchesGlob(place, plain) || matchesGlob(place.slice(place.lastIndexOf("/") + 1), plain))
  );
}

function putBack(work: Work): void {
  for (const [place, file] of work.stashed ?? []) if (!work.files.has(place)) work.files.set(place, file);
  work.stashed = undefined;
  sortFiles(work);
}

function sortFiles(work: Work): void {
  work.files = new Map([...work.files].sort(([, one], [, other]) => one.seq - other.seq));
}
