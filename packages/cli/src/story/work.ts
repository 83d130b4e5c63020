import type { EventOf } from "@phasekit/core";
import { isUnread, notesOf, type TestMeaning } from "@phasekit/core/kit";

/** The edits and checks of a run. */
export interface Work {
  /** The number of calls that changed files. */
  readonly edits: number;
  /** The last edit and its file. Foreign text. */
  readonly lastEdit?: { readonly call: number; readonly file?: string };
  readonly testRuns: number;
  readonly lastTest?: {
    readonly call: number;
    readonly verdict: TestMeaning["verdict"];
    readonly passed?: number;
    readonly failed?: number;
    readonly runner?: string;
  };
  /**
   * Calls of unknown tools, how many of them carry something new and so may be edits, and the names of some. Foreign
   * text.
   */
  readonly unknown: { readonly calls: number; readonly changes: number; readonly tools: readonly string[] };
  /** Calls that could not be read. Each may be an edit. */
  readonly unread: number;
  /** A build, check or program run after the last edit. A check counts more than a program run. */
  readonly tryOut?: {
    readonly call: number;
    readonly what: "build" | "check" | "run";
    readonly verdict: TestMeaning["verdict"];
    readonly runner?: string;
  };
}

const MAX_SCRATCH = 1000;
const MAX_NAMED = 3;

/** Creates a fold over finished calls; `call` is the number of the call. */
export function createWorkFold(): {
  readonly add: (event: EventOf<"tool.finished">, call: number) => void;
  readonly get: () => Work;
} {
  let edits = 0;
  let testRuns = 0;
  let unread = 0;
  let unknownCalls = 0;
  let unknownChanges = 0;
  const unknownTools = new Set<string>();
  let lastEdit: Work["lastEdit"];
  let lastTest: Work["lastTest"];
  let tryOut: Work["tryOut"];
  /** Scratch files: changing or removing them later does not count as an edit. */
  const scratch = new Set<string>();
  return {
    add: (event, call) => {
      const { tool, meaning, outcome } = event;
      const { activity, parts, tests, targets, mutates } = meaning;
      const does = (what: string): boolean => activity === what || parts?.includes(what) === true;
      if (outcome === "denied") return;
      if (isUnread(event)) unread += 1;
      else if ((activity ?? "other") === "other") {
        unknownCalls += 1;
        if (meaning.effect === "change") unknownChanges += 1;
        if (unknownTools.size < MAX_NAMED) unknownTools.add(tool);
      }
      const files = notesOf(meaning).edits ?? targets ?? [];
      const isScratch =
        notesOf(meaning).scratch === true || (files.length > 0 && files.every((file) => scratch.has(file)));
      if (isScratch) for (const file of files) if (scratch.size < MAX_SCRATCH) scratch.add(file);
      if (!isScratch && does("edit") && mutates !== false && (outcome === "ok" || parts !== undefined)) {
        edits += 1;
        tryOut = undefined;
        const [file] = files;
        lastEdit = { call, ...(file !== undefined && { file }) };
      }
      if (tests !== undefined || does("test")) {
        testRuns += 1;
        const { verdict = "unknown", passed, failed, runner } = tests ?? {};
        lastTest = {
          call,
          verdict,
          ...(passed !== undefined && { passed }),
          ...(failed !== undefined && { failed }),
          ...(runner !== undefined && { runner }),
        };
      } else if (lastEdit !== undefined && lastEdit.call !== call) {
        const { check, program, failed } = notesOf(meaning);
        if (check !== undefined)
          tryOut = {
            call,
            what: does("build") ? "build" : "check",
            verdict: check.verdict,
            ...(check.runner !== undefined && { runner: check.runner }),
          };
        else if (program === true && does("run") && (tryOut === undefined || tryOut.what === "run"))
          tryOut = { call, what: "run", verdict: failed === true || outcome === "error" ? "fail" : "unknown" };
      }
    },
    get: () => ({
      edits,
      testRuns,
      unread,
      unknown: { calls: unknownCalls, changes: unknownChanges, tools: [...unknownTools] },
      ...(lastEdit !== undefined && { lastEdit }),
      ...(lastTest !== undefined && { lastTest }),
      ...(tryOut !== undefined && { tryOut }),
    }),
  };
}
