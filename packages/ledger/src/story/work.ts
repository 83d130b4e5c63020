import type { RunEvent } from "@phasekit/core";
import { defined } from "@phasekit/core/adapter";
import {
  callOf,
  createAccount,
  evidenceText,
  foldAccount,
  judgeWork,
  lastChange,
  type Checks,
  type Delivery,
  type EvidenceProblem,
  type SeenCheck,
  type WorkEvidence,
} from "@phasekit/core/account";

/** The work and the checks of a run, as core's account has them. */
export interface StoryWork {
  /** The number of changes to files of the project, and of the files that are still changed. */
  readonly edits: number;
  readonly files: number;
  /** Some of these files, the last changed first. Foreign text. */
  readonly names: readonly string[];
  /** Tests that the run removed, skipped or loosened, by file. Foreign text. */
  readonly weakened: readonly string[];
  /** The last change and its file. Foreign text. */
  readonly lastEdit?: { readonly call: number; readonly file?: string };
  readonly testRuns: number;
  readonly lastTest?: SeenTest;
  /** How well the checks show that the work is right, in one sentence, and the check that decides. */
  readonly evidence: {
    readonly grade: WorkEvidence["grade"];
    readonly text: string;
    readonly problem?: EvidenceProblem;
    readonly check?: {
      readonly call: number;
      readonly kind: SeenCheck["kind"];
      readonly verdict: SeenCheck["verdict"];
    };
  };
  /**
   * Calls of unknown tools, how many of them carry something new and so may be edits, and the names of some. Foreign
   * text.
   */
  readonly unknown: { readonly calls: number; readonly changes: number; readonly tools: readonly string[] };
  /** Calls that could not be read. Each may be an edit. */
  readonly unread: number;
}

/** A test run, by the number of its call. */
interface SeenTest {
  readonly call: number;
  readonly verdict: SeenCheck["verdict"];
  readonly passed?: number;
  readonly failed?: number;
  readonly runner?: string;
}

const MAX_NAMED = 3;

/** Creates a fold over the events of a run. */
export function createWorkFold(): {
  readonly add: (event: RunEvent) => void;
  readonly get: () => StoryWork;
  /** The place of the last change in the log; 0 without one. */
  readonly lastChangeSeq: () => number;
  readonly delivery: Delivery;
} {
  const account = createAccount();
  const { work, checks } = account;
  let testRuns = 0;
  let unknownCalls = 0;
  let unknownChanges = 0;
  const unknownTools = new Set<string>();

  return {
    add: (event) => {
      const before = checks.seen.at(-1);
      foldAccount(account, event);
      const check = checks.seen.at(-1);
      if (check !== before && check?.kind === "test") testRuns += 1;
      if (event.type !== "tool.finished" || event.outcome === "denied") return;
      const { tool, meaning } = event;
      if (callOf(event).unread || (meaning.activity ?? "other") !== "other") return;
      unknownCalls += 1;
      if (meaning.effect === "change") unknownChanges += 1;
      if (unknownTools.size < MAX_NAMED) unknownTools.add(tool);
    },
    delivery: account.delivery,
    lastChangeSeq: () => lastChange(work)?.seq ?? 0,
    get: () => {
      const evidence = judgeWork(account);
      const { grade, problem, check } = evidence;
      const last = lastChange(work);
      const lastTest = testOf(checks);
      return {
        edits: work.changes,
        files: work.files.size,
        names: [...work.files.values()]
          .slice(-MAX_NAMED)
          .map(({ path }) => path)
          .reverse()
          .filter((path) => path !== ""),
        weakened: [...work.weakened.keys()],
        testRuns,
        unread: work.unread,
        unknown: { calls: unknownCalls, changes: unknownChanges, tools: [...unknownTools] },
        evidence: {
          grade,
          text: evidenceText(evidence, work),
          ...defined({ problem }),
          ...(check !== undefined && { check: { call: check.call, kind: check.kind, verdict: check.verdict } }),
        },
        ...(last !== undefined && { lastEdit: { call: last.call, ...(last.path !== "" && { file: last.path }) } }),
        ...defined({ lastTest }),
      };
    },
  };
}

function testOf({ seen }: Checks): SeenTest | undefined {
  const last = seen.findLast(({ kind }) => kind === "test");
  if (last === undefined) return undefined;
  const { call, verdict, passed, failed, runner } = last;
  return {
    call,
    verdict,
    ...defined({ passed, failed, runner }),
  };
}
