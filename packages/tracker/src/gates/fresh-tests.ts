import { definePolicy, type Policy, veto, vouch } from "@phasekit/core";
import { type OwnWork, ownWork, workOf } from "../own-work.ts";
import type { LastTest } from "../work-log.ts";

/** Why the tests do not vouch for the work. */
export type FreshTestsProblem = "never-run" | "stale" | "failed" | "no-result";

export interface FreshTestsOptions {
  /** @default "fresh-tests" */
  readonly gate?: string;
  /** A change of documents (README.md, CHANGELOG, LICENSE, docs/) needs a test run too. @default false */
  readonly testDocuments?: boolean;
  readonly text?: (facts: { readonly problem: FreshTestsProblem; readonly failed: number | undefined }) => string;
}

/**
 * A gate: after the last edit the tests were run and passed. PASS with a trusted exit code or counts in the output,
 * CONCERNS when only the output of a piped run, a build or a check says so, FAIL otherwise. A run that changed nothing
 * is not its business. One that changed nothing but documents has no tests to run: CONCERNS, and the evidence says so.
 *
 * @example
 * createRun({ graph: codingPhases, mode: "gate", interpret: codingInterpreter(), policies: [phaseTracker(), freshTests()] })
 */
export function freshTests({ gate = "fresh-tests", testDocuments = false, text = defaultText }: FreshTestsOptions = {}): Policy<OwnWork> {
  return definePolicy({
    name: gate,
    version: "2",
    ...ownWork(),
    decide: {
      "finish.requested": (run, state) => {
        const work = workOf(run, state);
        if (work.edits === 0) return undefined;
        const { lastTest, lastCheck, edits, documentEdits } = work;
        const lastEditSeq = testDocuments ? work.lastEditSeq : work.lastCodeEditSeq;
        const problem = problemOf(lastTest, lastEditSeq);
        if (problem === undefined && lastTest !== undefined) {
          const { trusted, runner = "tests", passed } = lastTest;
          return vouch({ gate, verdict: trusted ? "pass" : "concerns", evidence: { runner, trusted, ...(passed !== undefined && { passed }) } });
        }
        if (!testDocuments && documentEdits === edits) {
          return vouch({ gate, verdict: "concerns", evidence: { documentsOnly: true, edits, tests: problem ?? "unknown" } });
        }
        const checked = problem !== "failed" && lastCheck !== undefined && lastCheck.seq >= lastEditSeq && lastCheck.verdict === "pass";
        if (checked) return vouch({ gate, verdict: "concerns", evidence: { checked: lastCheck.what, tests: problem ?? "unknown" } });
        return veto(text({ problem: problem ?? "no-result", failed: lastTest?.failed }), { gate, evidence: { problem: problem ?? "no-result" } });
      },
    },
  });
}

function problemOf(lastTest: LastTest | undefined, lastEditSeq: number): FreshTestsProblem | undefined {
  if (lastTest === undefined) return "never-run";
  if (lastTest.verdict === "fail") return "failed";
  if (lastTest.seq < lastEditSeq) return "stale";
  return lastTest.verdict === "pass" ? undefined : "no-result";
}

function defaultText({ problem, failed }: { readonly problem: FreshTestsProblem; readonly failed: number | undefined }): string {
  switch (problem) {
    case "never-run":
      return "You have changed code and not run the tests. Run them before you finish.";
    case "stale":
      return "You have changed code after the last test run. Run the tests again before you finish.";
    case "failed":
      return `The last test run failed${failed === undefined || failed === 0 ? "" : ` (${String(failed)} failing)`}. Fix the code and run the tests again, or say why it cannot be done.`;
    case "no-result":
      return "The last test run shows no result. Run the tests so that their summary and exit code can be seen: no pipe, no `|| true`.";
  }
}
