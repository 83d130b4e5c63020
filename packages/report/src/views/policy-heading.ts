import { tableOf } from "@phasekit/core/adapter";

/** The built-in gates, policies and alerts in the words of a reader. */
const HEADINGS: Readonly<Record<string, string>> = tableOf({
  "tests-fresh": "Tests after the last edit",
  "fresh-tests": "Tests after the last edit",
  "tests-kept": "Tests are still there",
  "claims-true": "What the agent says is true",
  "claims-match": "What the agent says is true",
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
});

/** Names a gate, policy or alert for people; one that is not built in by its own words. */
export function policyHeading(name: string): string {
  const words = name.replaceAll(/[-_]+/g, " ");
  // own key: a table without a prototype.
  return HEADINGS[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
