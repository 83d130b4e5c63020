import type { GateAnswer, Policy } from "@phasekit/core";
import { defined } from "@phasekit/core/adapter";
import { evidenceText, type EvidenceProblem, judgeWork, missingText, type WorkEvidence } from "@phasekit/core/account";
import { workGate } from "./work-gate.ts";

/** Options for `testsFresh()`. All optional. */
export interface TestsFreshOptions {
  /** @default "tests-fresh" */
  readonly gate?: string;
  /** A change of documents (README.md, CHANGELOG, LICENSE, docs/) needs a test run too. @default false */
  readonly testDocuments?: boolean;
  /**
   * When mode `gate` sends the agent back. `untested`: no check touches the code after its last change, though the
   * agent has tools that answer. `unmet`: whenever the gate is not met. @default "untested"
   */
  readonly sendBack?: "untested" | "unmet" | "never";
  /** The message for the agent. */
  readonly text?: (facts: WorkEvidence & { readonly failed: number | undefined }) => string;
}

/**
 * A gate: tests passed after the last change of the work. Proven by a trusted exit code or a summary of the runner;
 * supported by a test run whose exit code is hidden, or by a program that reaches the work and passed; weak if only a
 * linter, a type checker, a build or a parser looked at it; otherwise it objects. A run that changed no code needs no
 * tests. A call that could not be read counts as a change.
 *
 * @example
 * createRun({ graph: codingPhases, mode: "gate", interpret: reading(), policies: [phaseTracker(),
 * testsFresh()] })
 */
export function testsFresh({
  gate = "tests-fresh",
  testDocuments = false,
  sendBack = "untested",
  text = missingText,
}: TestsFreshOptions = {}): Policy {
  return workGate(gate, {
    version: "5",
    check: (log): GateAnswer => {
      const { work, checks } = log;
      const evidence = judgeWork({ work, checks }, { documents: testDocuments });
      const { grade, problem, check } = evidence;
      const why = evidenceText(evidence, work);
      const data = { grade, ...defined({ problem }), ...placesIn(evidence) };
      if (problem === undefined) return { verdict: VERDICTS[grade], why, evidence: data };
      const back = sendBack === "untested" ? isUntested(evidence) && log.hasTools : sendBack === "unmet";
      // A linter that looked at the work is weak evidence, whether or not the agent is asked for more.
      if (grade === "weak" && !back) return { verdict: "weak", why, evidence: data };
      return {
        verdict: back ? "veto" : "objection",
        why,
        text: text({ ...evidence, failed: check?.failed }),
        evidence: { ...data, ...(work.unread > 0 && { unread: work.unread }) },
      };
    },
  });
}

const VERDICTS = {
  proven: "pass",
  supported: "concerns",
  weak: "weak",
  claimed: "doubt",
  "not-needed": "not-needed",
} as const satisfies Readonly<Record<WorkEvidence["grade"], GateAnswer["verdict"]>>;

const UNTESTED: ReadonlySet<EvidenceProblem> = new Set([
  "never-run",
  "stale",
  "unread",
  "unrelated",
  "red-suite",
  "lint-only",
]);

/** True if no check that touches the work has run since. Configuration alone is no reason to send an agent back. */
function isUntested({ problem, change }: WorkEvidence): boolean {
  return problem !== undefined && UNTESTED.has(problem) && change?.kind !== "configuration";
}

function placesIn({ change, check }: WorkEvidence): object {
  return {
    ...(change !== undefined && { changed: change.path, changedIn: change.call }),
    ...(check !== undefined && {
      checked: check.kind,
      checkedIn: check.call,
      trusted: check.trusted,
      ...defined({ runner: check.runner, passed: check.passed }),
    }),
  };
}
