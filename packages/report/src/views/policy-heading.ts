import { currentPolicyName, tableOf } from "@phasekit/core/adapter";

/** The gate that compares what the agent says with what happened. */
const CLAIMS = "claims-true";

/** True for the gate that compares what the agent says with what happened. */
export const isClaimGate = (gate: string): boolean => currentPolicyName(gate) === CLAIMS;

/** The built-in gates, policies and alerts in the words of a reader. */
const HEADINGS: Readonly<Record<string, string>> = tableOf({
  "tests-fresh": "Tests after the last edit",
  "tests-kept": "Tests are still there",
  [CLAIMS]: "What the agent says is true",
  "checks-kept": "Checks are still there",
  committed: "Every change is committed",
  pushed: "Every commit is pushed",
  "pull-request-open": "A pull request is open",
  "ci-green": "CI is green for the last change",
  "diff-not-empty": "Something was changed",
  "todos-done": "The agent's own list is done",
  "contract-gate": "The contract of the phase",
  escalation: "No progress",
  "test-failures": "Tests keep failing",
  "shell-failures": "Commands keep failing",
  saturation: "Reading without learning more",
  "untested-edits": "Edits without a test",
  "text-only-reminder": "Text without an action",
  "phase-budget": "Budget of the phase",
  budget: "Budget of the run",
  repeat: "The same call again",
  stall: "No progress",
  cycle: "The same round of calls again",
  failing: "Most calls fail",
  "same-answer": "Other calls, the same answer",
  "no-gain": "Nothing new",
  unmoved: "Changes without effect",
  waiting: "Asking for something that is not ready",
  text: "Text after text without an action",
  thrash: "No progress",
  stagnation: "The same failure again",
  chanting: "One passage again and again",
  "cumulative-loop": "Many corrections of one kind",
  "call-timeout": "A call took too long",
  silence: "Nothing happened for too long",
  "shared-call": "Several sub-agents make the same call",
  "upstream-errors": "The model provider fails",
  "quota-floor": "The quota is nearly used up",
});

/** Names a gate, policy or alert for people; one that is not built in by its own words. */
export function policyHeading(name: string): string {
  const words = name.replaceAll(/[-_]+/g, " ");
  // own key: a table without a prototype.
  return HEADINGS[currentPolicyName(name)] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** The verdicts of gates, judges and reviewers as one set of words. */
const VERDICTS: Readonly<Record<string, string>> = tableOf({
  pass: "passed",
  met: "holds",
  concerns: "in doubt",
  doubt: "in doubt",
  fail: "not met",
  unavailable: "could not be checked",
});

/** Renders a verdict for people. */
export const verdictWord = (verdict: string): string => VERDICTS[verdict] ?? verdict.replaceAll("-", " ");
