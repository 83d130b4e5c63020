import type { GateAnswer, Policy } from "@phasekit/core";
import { tableOf } from "@phasekit/core/kit";
import type { OwnWork } from "../own-work.ts";
import type { LastTest, WorkLog } from "../work-log.ts";
import { workGate } from "./work-gate.ts";

/** Why the tests do not vouch for the work. */
export type FreshTestsProblem =
  | "never-run"
  | "stale"
  | "failed"
  | "no-result"
  /** A call could not be read, and no test ran after it. */
  | "unread";

/** Options for `freshTests()`. All optional. */
export interface FreshTestsOptions {
  /** @default "fresh-tests" */
  readonly gate?: string;
  /** A change of documents (README.md, CHANGELOG, LICENSE, docs/) needs a test run too. @default false */
  readonly testDocuments?: boolean;
  /**
   * When mode `gate` sends the agent back. `untested`: nothing tried the code after the last edit, though the agent has
   * tools that answer. `unmet`: whenever the gate is not met. @default "untested"
   */
  readonly sendBack?: "untested" | "unmet" | "never";
  /** The message for the agent. */
  readonly text?: (facts: { readonly problem: FreshTestsProblem; readonly failed: number | undefined }) => string;
}

/**
 * A gate: tests passed after the last edit. Proven by a trusted exit code or a summary of the runner; supported by a
 * test run whose exit code is hidden, by a build, a check or a program that passed; otherwise it objects. A run that
 * changed no code needs no tests. A call that could not be read counts as an edit.
 *
 * @example
 * createRun({ graph: codingPhases, mode: "gate", interpret: reading(), policies: [phaseTracker(),
 * freshTests()] })
 */
export function freshTests({
  gate = "fresh-tests",
  testDocuments = false,
  sendBack = "untested",
  text = defaultText,
}: FreshTestsOptions = {}): Policy<OwnWork> {
  return workGate(gate, {
    version: "4",
    check: (work): GateAnswer => {
      const { lastTest, lastCheck, edits, documentEdits, unread, lastUnreadSeq } = work;
      const lastSeenSeq = testDocuments ? work.lastEditSeq : work.lastCodeEditSeq;
      const lastEditSeq = Math.max(lastSeenSeq, lastUnreadSeq);
      const problem = problemOf(lastTest, { lastSeenSeq, lastUnreadSeq });
      if (edits === 0 && unread === 0)
        return { verdict: "not-needed", why: "No edit was seen, so no test was needed.", evidence: { edits } };
      if (problem === undefined && lastTest !== undefined) return passed(lastTest);
      const tests = problem ?? "no-result";
      if (!testDocuments && documentEdits === edits && unread === 0)
        return {
          verdict: "not-needed",
          why: "Only documents were changed, so no test was needed.",
          evidence: { documentsOnly: true, edits, tests },
        };
      if (tests !== "failed" && lastCheck?.verdict === "pass" && lastCheck.seq >= lastEditSeq)
        return {
          verdict: "concerns",
          why: `${WITHOUT_TESTS[tests]}, but ${checkText(lastCheck.what)} passed.`,
          evidence: { checked: lastCheck.what, tests },
        };
      return {
        verdict: sendsBack(work, { sendBack, lastEditSeq }) ? "veto" : "objection",
        why: objectionText(work, { tests, lastEditSeq }),
        text: text({ problem: tests, failed: lastTest?.failed }),
        evidence: { problem: tests, ...(unread > 0 && { unread }) },
      };
    },
  });
}

function problemOf(
  lastTest: LastTest | undefined,
  { lastSeenSeq, lastUnreadSeq }: { readonly lastSeenSeq: number; readonly lastUnreadSeq: number },
): FreshTestsProblem | undefined {
  if (lastTest?.verdict === "fail") return "failed";
  if (lastUnreadSeq > Math.max(lastSeenSeq, lastTest?.seq ?? 0)) return "unread";
  if (lastTest === undefined) return "never-run";
  if (lastTest.seq < lastSeenSeq) return "stale";
  return lastTest.verdict === "pass" ? undefined : "no-result";
}

/** An agent whose tools answer can try its work. One that only hands over edits may have nothing to run. */
function sendsBack(
  { lastTrySeq, hasTools }: Readonly<WorkLog>,
  { sendBack, lastEditSeq }: { readonly sendBack: FreshTestsOptions["sendBack"]; readonly lastEditSeq: number },
): boolean {
  if (sendBack !== "untested") return sendBack === "unmet";
  return lastTrySeq < lastEditSeq && hasTools;
}

function passed({ trusted, runner = "tests", passed: count, hiddenBy }: LastTest): GateAnswer {
  const what = count === undefined ? "The tests passed" : `${String(count)} ${count === 1 ? "test" : "tests"} passed`;
  const named = `${what} after the last edit${runner === "tests" ? "" : ` (${runner})`}`;
  const evidence = { runner, trusted, ...(count !== undefined && { passed: count }) };
  if (trusted) return { verdict: "pass", why: `${named}.`, evidence };
  return { verdict: "concerns", why: `${named}, but ${hiddenText(hiddenBy)}.`, evidence };
}

function hiddenText(hiddenBy: string | undefined): string {
  if (hiddenBy === undefined) return "the runner's exit code is not known";
  return hiddenBy.startsWith("| ")
    ? `the output went through \`${hiddenBy}\`, so the exit code is not trusted`
    : `the line continues with \`${hiddenBy}\`, so the exit code is not trusted`;
}

const WITHOUT_TESTS: Readonly<Record<Exclude<FreshTestsProblem, "failed">, string>> = {
  "never-run": "No test ran after the last edit",
  stale: "No test ran after the last edit",
  "no-result": "The last test run shows no result",
  unread: "No test ran after a call that could not be read and may have changed code",
};

const CHECKS: Readonly<Record<string, string>> = tableOf({
  run: "a program",
  build: "the build",
  lint: "a static check",
});

function checkText(what: string): string {
  return CHECKS[what] ?? `the check "${what}"`;
}

/** One sentence for people, with what came after the last edit. */
function objectionText(
  { lastTest, lastCheck }: Readonly<WorkLog>,
  { tests, lastEditSeq }: { readonly tests: FreshTestsProblem; readonly lastEditSeq: number },
): string {
  if (tests === "failed") {
    const again = lastTest !== undefined && lastTest.seq < lastEditSeq ? ", and it was not run again" : "";
    return `The last test run failed${failing(lastTest?.failed)}${again}.`;
  }
  const tried =
    lastCheck === undefined || lastCheck.seq < lastEditSeq
      ? ""
      : `, and ${checkText(lastCheck.what)} ${lastCheck.verdict === "fail" ? "failed" : "shows no result"}`;
  return `${WITHOUT_TESTS[tests]}${tried}.`;
}

const failing = (failed = 0): string => (failed === 0 ? "" : ` (${String(failed)} failing)`);

function defaultText({
  problem,
  failed,
}: {
  readonly problem: FreshTestsProblem;
  readonly failed: number | undefined;
}): string {
  switch (problem) {
    case "never-run":
      return "You have changed code and not run the tests. Run them before you finish.";
    case "stale":
      return "You have changed code after the last test run. Run the tests again before you finish.";
    case "failed":
      return `The last test run failed${failing(failed)}. Fix the code and run the tests again, or say why it cannot be done.`;
    case "unread":
      return "One of your calls could not be read, and it may have changed code. Run the tests before you finish.";
    case "no-result":
      return "The last test run shows no result. Run the tests so that their summary and exit code can be seen: no pipe, no `|| true`.";
  }
}
