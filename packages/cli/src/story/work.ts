import type { EventOf, TestMeaning } from "@phasekit/core";
import { notesOf } from "@phasekit/tracker";

/** What a run changed and tried out, as far as its end needs telling. */
export interface Work {
  /** Calls that changed files. */
  readonly edits: number;
  /** The last of them, and the file. Foreign text. */
  readonly lastEdit?: { readonly call: number; readonly file?: string };
  readonly testRuns: number;
  readonly lastTest?: { readonly call: number; readonly verdict: TestMeaning["verdict"]; readonly passed?: number; readonly failed?: number; readonly runner?: string };
  /** Calls of tools nobody knows the meaning of, and what some of them are called. Foreign text. */
  readonly unknown: { readonly calls: number; readonly tools: readonly string[] };
  /** How else the work was tried out after its last edit: built, checked, or run. A check counts for more than a run. */
  readonly tryOut?: { readonly call: number; readonly what: "build" | "check" | "run"; readonly verdict: TestMeaning["verdict"]; readonly runner?: string };
}

const MAX_SCRATCH = 1000;
const MAX_NAMED = 3;

/** Folds finished calls; `call` is the number of the call. */
export function createWorkFold(): { readonly add: (event: EventOf<"tool.finished">, call: number) => void; readonly get: () => Work } {
  let edits = 0;
  let testRuns = 0;
  let unknownCalls = 0;
  const unknownTools = new Set<string>();
  let lastEdit: Work["lastEdit"];
  let lastTest: Work["lastTest"];
  let tryOut: Work["tryOut"];
  /** Files written only to try something out: changing or removing them later is no change of the work. */
  const scratch = new Set<string>();
  return {
    add: ({ tool, meaning, outcome }, call) => {
      const { activity, parts, tests, targets, mutates } = meaning;
      const does = (what: string): boolean => activity === what || parts?.includes(what) === true;
      if (outcome === "denied") return;
      if ((activity ?? "other") === "other") {
        unknownCalls += 1;
        if (unknownTools.size < MAX_NAMED) unknownTools.add(tool);
      }
      const files = notesOf(meaning).edits ?? targets ?? [];
      const isScratch = notesOf(meaning).scratch === true || (files.length > 0 && files.every((file) => scratch.has(file)));
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
        lastTest = { call, verdict, ...(passed !== undefined && { passed }), ...(failed !== undefined && { failed }), ...(runner !== undefined && { runner }) };
      } else if (lastEdit !== undefined && lastEdit.call !== call) {
        const { check, program, failed } = notesOf(meaning);
        if (check !== undefined) tryOut = { call, what: does("build") ? "build" : "check", verdict: check.verdict, ...(check.runner !== undefined && { runner: check.runner }) };
        else if (program === true && does("run") && (tryOut === undefined || tryOut.what === "run")) tryOut = { call, what: "run", verdict: failed === true || outcome === "error" ? "fail" : "unknown" };
      }
    },
    get: () => ({ edits, testRuns, unknown: { calls: unknownCalls, tools: [...unknownTools] }, ...(lastEdit !== undefined && { lastEdit }), ...(lastTest !== undefined && { lastTest }), ...(tryOut !== undefined && { tryOut }) }),
  };
}
