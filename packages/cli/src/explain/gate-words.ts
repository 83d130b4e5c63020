import type { GateName } from "../config/gate-names.ts";

interface GateWords {
  readonly text: string;
  readonly fix: string;
}

/** The meaning of each gate that a config can name, and the fix. */
const configGates: Readonly<Record<GateName, GateWords>> = {
  "tests-fresh": {
    text: "Passes if the tests ran and passed after the last edit.",
    fix: "Run the tests so that their summary and exit code are visible: no pipe, no `|| true`.",
  },
  "tests-kept": {
    text: "Passes if no test was deleted, skipped or emptied.",
    fix: "Restore the test, or explain why it had to change.",
  },
  "claims-true": {
    text: "Passes if what the agent says about tests and files is true.",
    fix: "Compare the answer with the output it names, and let the agent correct one of them.",
  },
  "todos-done": {
    text: "Passes if the agent's own todo list has no open items.",
    fix: "Finish the items, or cancel them with a reason.",
  },
  "diff-not-empty": {
    text: "Passes if the run changed something.",
    fix: "Make the change, or say that none is needed.",
  },
  "checks-kept": {
    text: "Passes if no setting of lint, types or CI was loosened and no hook was skipped with `--no-verify`.",
    fix: "Restore the setting, or run the hook and repair what it reports.",
  },
  committed: {
    text: "Passes if every change is committed.",
    fix: "Commit, or say why the change stays uncommitted.",
  },
  pushed: {
    text: "Passes if every commit is pushed.",
    fix: "Push, or say why the commits stay here.",
  },
  "pull-request-open": {
    text: "Passes if a pull request was opened.",
    fix: "Open one, or report it as a check named `pull-request`.",
  },
  "ci-green": {
    text: "Passes if CI passed after the last change. Without a result it is unavailable.",
    fix: "Wait for CI and look at its result, or report it as a check named `ci`.",
  },
};

/** The meaning of each gate, and the fix. */
export const gates: Readonly<Record<string, GateWords>> = {
  ...configGates,
  "contract-gate": {
    text: "Passes if the claim for the phase was accepted under its contract.",
    fix: "Deliver what the contract requires and call `complete_phase`.",
  },
  finished: {
    text: "Gate of `phasekit check`. Passes if the agent finished on its own.",
    fix: "See why the run stopped: `phasekit why <run>`.",
  },
  verified: {
    text: "Gate of `phasekit check`. Passes if the evidence is proven or supported, or none was needed.",
    fix: 'Do what the gate asks for, or waive it: `phasekit check --waive verified --reason "docs only"`.',
  },
  "max-turns": {
    text: "Gate of `phasekit check`. Passes if the run took no more turns than `--max-turns`.",
    fix: "Raise the limit, or give the agent smaller tasks.",
  },
  "max-tokens": {
    text: "Gate of `phasekit check`. Passes if the run used no more tokens than `--max-tokens`.",
    fix: "Raise the limit, or give the agent smaller tasks.",
  },
  "max-wasted": {
    text: "Gate of `phasekit check`. Passes if no more calls than `--max-wasted` brought nothing new.",
    fix: "See which calls: `phasekit why <run>`.",
  },
  config: {
    text: "Gate of `phasekit check`. Passes if an approved or committed config is the same as before.",
    fix: "Review the change, then approve it: `phasekit trust <file>`.",
  },
  readable: {
    text: "Gate of `phasekit check`. Fails for a stored run that is too damaged to be read.",
    fix: "See what is wrong: `phasekit doctor`. Remove the run, or restore its log.",
  },
  "no-loop": {
    text: "Gate of `phasekit check`. Passes if the run did not end in a loop.",
    fix: "See what repeats: `phasekit why <run>`.",
  },
};
