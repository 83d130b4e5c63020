import type { EventOf, RunEvent, RunView } from "@phasekit/core";
import { notesOf } from "./coding-notes.ts";
import { isDocumentFile } from "./document-file.ts";
import { foldShell, foldTest } from "./fold-tests.ts";
import { isDone } from "./meaning-of-plan.ts";
import { countNewFile } from "./new-files.ts";
import { rememberName } from "./remember-name.ts";
import { editsOf, isCheck, isScratch, isTest, landsEdit, readsOf } from "./work-done.ts";
import type { WorkLog } from "./work-log.ts";

const MAX_WEAKENED = 16;

/** Folds one event into a log. */
export function foldWork(log: WorkLog, event: RunEvent, run: Pick<RunView, "iterations" | "graph">): void {
  passTurn(log, event);
  switch (event.type) {
    case "tool.requested":
      log.turnHasTools = true;
      return;
    case "tool.finished":
      log.turnHasTools = true;
      log.consecutiveTextOnlyTurns = 0;
      foldTool(log, event, run.iterations);
      return;
    case "message.sent":
      log.turnHasText = true;
      return;
    case "model.answered":
      if ((event.textLength ?? 0) > 0 || event.toolCalls === 0) log.turnHasText = true;
      return;
    case "todos.updated":
      log.openTodos = event.todos.filter(({ status }) => !isDone(status)).length;
      return;
    case "workspace.observed":
      log.observedFiles = { seq: event.seq, files: event.filesChanged ?? event.paths?.length ?? (event.linesAdded ?? 0) + (event.linesRemoved ?? 0) };
      return;
    case "exploration.saturation":
      log.shouldTransition = true;
      return;
    case "phase.transition":
    case "phase.rolled-back":
      log.shouldTransition = false;
      log.newFiles.length = 0;
      if (event.to === run.graph.initial) log.explorationStartIteration = run.iterations;
      return;
    default:
      return;
  }
}

/** A turn with words and without tools is over once the next one begins. */
function passTurn(log: WorkLog, { turn }: RunEvent): void {
  if (turn === undefined || turn <= log.turn) return;
  if (log.turnHasText && !log.turnHasTools) {
    if (log.consecutiveTextOnlyTurns === 0) log.textStreakTurn = log.turn;
    log.consecutiveTextOnlyTurns += 1;
  }
  log.turn = turn;
  log.turnHasTools = false;
  log.turnHasText = false;
}

function foldTool(log: WorkLog, event: EventOf<"tool.finished">, iteration: number): void {
  const { meaning, outcome, seq } = event;
  const notes = notesOf(meaning);
  const ok = outcome === "ok" && notes.failed !== true;
  if (notes.openTodos !== undefined) log.openTodos = notes.openTodos;
  // A line of several commands may have failed at its end: what it read and wrote before that stands.
  if (ok || meaning.parts !== undefined) foldLooks(log, event, iteration);
  if (landsEdit(meaning, outcome)) foldEdit(log, event);
  else if (meaning.activity === "edit" && outcome !== "denied") log.failedEdits += 1;
  if (isTest(meaning)) {
    foldTest(log, event);
    return;
  }
  if (outcome === "denied") return;
  if (notes.shell === true) foldShell(log, event, ok);
  if (isCheck(meaning)) log.lastCheck = { seq, verdict: notes.check?.verdict ?? (ok ? (notes.exitCode === 0 ? "pass" : "unknown") : "fail"), what: meaning.activity ?? "run" };
}

function foldLooks(log: WorkLog, { meaning }: EventOf<"tool.finished">, iteration: number): void {
  for (const file of readsOf(meaning)) {
    if (!rememberName(log.uniqueFilesRead, file)) continue;
    log.filesReadCount += 1;
    countNewFile(log.newFiles, iteration);
  }
  const query = meaning.activity === "search" ? meaning.targets?.[0] : undefined;
  if (query !== undefined && rememberName(log.uniqueSearches, query)) log.searchCount += 1;
}

function foldEdit(log: WorkLog, { meaning, seq }: EventOf<"tool.finished">): void {
  const files = editsOf(meaning);
  for (const file of files) if (rememberName(log.filesModified, file)) log.fileModifiedCount += 1;
  if (isScratch(log.scratchFiles, meaning)) {
    log.scratchEdits += 1;
    for (const file of files) rememberName(log.scratchFiles, file);
  } else {
    log.edits += 1;
    log.lastEditSeq = seq;
    if (files.length > 0 && files.every(isDocumentFile)) log.documentEdits += 1;
    else log.lastCodeEditSeq = seq;
  }
  log.failedEdits = 0;
  const { weakens = [] } = notesOf(meaning);
  const list = log.lastTestPassed === false ? log.weakenedWhileFailing : log.weakened;
  for (const what of weakens) if (list.length < MAX_WEAKENED && !list.includes(what)) list.push(what);
}
