import type { EventOf } from "@phasekit/core";

/** The meaning of a printed word. */
export interface PrintedWord {
  readonly text: string;
  readonly fix?: string;
}

const TAIL = "In `phasekit tail` and `demo`: ";

/** The labels of events that mean nothing else elsewhere. */
const eventLabels: Readonly<Record<string, PrintedWord>> = {
  start: { text: `${TAIL}the run began.` },
  resume: { text: `${TAIL}the run continued after a stop.` },
  phase: { text: `${TAIL}the agent moved to another phase.` },
  dropped: {
    text: `${TAIL}a nudge that was not sent. The word in brackets is the cause: topic, cooldown, cap or allowance.`,
  },
  refused: { text: `${TAIL}a call that was not made, and the answer the agent got instead.` },
  objects: { text: `${TAIL}a gate is not met, and the agent may finish all the same.` },
  tests: { text: `${TAIL}the result of a test run.` },
  vouched: { text: `${TAIL}a gate is met, or has something to say about the work.` },
  stop: { text: `${TAIL}a policy ended the run, with the reason and its name.` },
  verdict: { text: `${TAIL}the answer of a person or a model that was asked whether the run may continue.` },
  "done?": { text: `${TAIL}the agent says that it is done; what the gates say follows.` },
  end: { text: `${TAIL}the end of the run, with its reason.` },
};

/** The causes for which a nudge is not sent. */
const dropCauses: Readonly<Record<EventOf<"nudge.dropped">["why"], PrintedWord>> = {
  topic: { text: "A nudge was dropped: a stronger one is about the same topic." },
  cooldown: {
    text: "A nudge was dropped: its policy spoke fewer than `cooldownTurns` turns ago.",
    fix: "`createRun({ nudges: { cooldownTurns: 0 } })` allows it.",
  },
  cap: {
    text: "A nudge was dropped: the phase already had `perEntry` nudges.",
    fix: "`createRun({ nudges: { perEntry: 10 } })` allows more.",
  },
  allowance: {
    text: "A nudge was dropped: the messages of this turn have used up `tokensPerTurn`.",
    fix: "`createRun({ nudges: { tokensPerTurn: 3000 } })` allows more.",
  },
};

/** Words of lists, of `why` and of the page that are neither a reason nor an alert, a gate or an error. */
export const printedWords: Readonly<Record<string, PrintedWord>> = {
  ...eventLabels,
  ...dropCauses,
  // How well the end is backed.
  proven: { text: "Evidence. A check passed after the last edit, and its exit code says so." },
  supported: {
    text: "Evidence. The output of a check says that it passed after the last edit, but its exit code is not known.",
    fix: "Run the check without a pipe, so that its exit code is visible.",
  },
  weak: {
    text: "Evidence. Only a linter, a build or a program passed after the last edit, and no test of the work.",
    fix: "Run the tests that cover the change.",
  },
  claimed: {
    text: "Evidence. The agent says that it is done, and nothing shows it.",
    fix: "Run the tests after the last edit.",
  },
  "not-needed": { text: "Evidence. Nothing was changed that a check could test, such as only documents." },
  // Heads of columns.
  age: { text: "The time since the last record of the run." },
  run: { text: "One agent at work on one task. Its id selects it: `phasekit why <id>`, of a long one the start." },
  title: { text: "The first prompt of the run, or its task." },
  project: { text: "The repository, or the folder, that the agent worked in." },
  tool: { text: "The agent or the program that wrote the log." },
  runs: {
    text: "In `phasekit usage` a run counts with its sub-agents; in `phasekit runs` each sub-agent is a run too.",
  },
  calls: { text: "The calls of tools that the agent made." },
  loops: { text: "The runs in which the agent repeated calls without progress." },
  tokens: { text: "Input and output, with what came from a cache and went to it. A + means that a part is not known." },
  input: { text: "Tokens the model read that came from no cache." },
  output: { text: "Tokens the model wrote." },
  "to-cache": { text: "Tokens of the input that the provider keeps for later requests." },
  cached: { text: "Tokens of the input that came from the cache of the provider." },
  // The states of a run.
  "live-now": { text: "The run is being written at this moment. It has no end yet." },
  running: { text: "The run has not ended." },
  success: { text: "The run finished and its gates passed." },
  clean: { text: "The run finished. No gate was checked." },
  partial: { text: "The run finished a part of its work." },
  failed: { text: "The run ended in a failure." },
  stalled: { text: "The run was stopped because it made no progress." },
  "timed-out": { text: "The run ended at a time limit." },
  // Labels.
  ended: { text: "Label of `phasekit why`: how the run ended, in which phase, and why." },
  note: {
    text: "Label of `phasekit why`: what is easily missed, such as a claim that is not true or a weakened test.",
  },
  changed: { text: "Label of `phasekit why`: the files the run changed, and how far the work was delivered." },
  checked: { text: "Label of `phasekit why`: the checks the run made, and the last one." },
  loop: {
    text: "The agent repeated calls without progress: the calls, what was repeated, how often, and the tokens it cost.",
    fix: "See the calls: `phasekit tail <run> --no-follow --all`.",
  },
  below: { text: "Label of `phasekit why`: the sub-agents of the run, and how each ended." },
  waited: { text: "Label of `phasekit why`: the agent asked again and again for something that was not ready." },
  wasted: { text: "Calls that brought nothing new: an error, or an answer that was known." },
  cost: {
    text: "The cost as logged, else at list prices. A ≥ means that a part is not known, a ? that nothing is.",
    fix: "Name prices of your own with `--prices <file>`.",
  },
  task: { text: "The prompt of the run, with `--task`." },
  skipped: { text: "Records of the log that Phasekit does not recognize." },
  phasekit: { text: "Label of `phasekit why`: what Phasekit did in the run, or would have done in a stricter mode." },
  owed: { text: "In `phasekit watch`: what the gates still ask for before the agent may finish." },
  "sub-agent": { text: "An agent that the agent started. Its run is a sub-run, listed below the one that started it." },
  // Modes and what Phasekit does.
  observe: { text: "Mode. Phasekit only watches and records." },
  nudge: { text: "A short message to the agent before its next turn; also the mode in which Phasekit sends them." },
  gate: {
    text: "A condition for finishing; also the mode in which Phasekit refuses calls and vetoes an unproven end.",
  },
  veto: { text: "The agent wanted to finish, and a gate did not let it." },
  refusal: { text: "A call of the agent that Phasekit did not let through." },
  alert: { text: "Evidence that the agent makes no progress. It has no consequence of its own." },
  // Verdicts of gates.
  pass: { text: "The condition of the gate holds, and a check shows it." },
  met: { text: "The condition of the gate holds; there was nothing to check." },
  concerns: { text: "The gate lets the agent finish, and says what is doubtful." },
  doubt: { text: "The gate could not decide and lets the agent finish." },
  fail: { text: "The condition of the gate does not hold." },
  unavailable: { text: "The gate could not be checked." },
  waived: { text: "A person accepted that the gate does not hold." },
  // The phases of the coding preset.
  exploring: { text: "Phase: the agent reads and searches." },
  planning: { text: "Phase: the agent decides what to do." },
  acting: { text: "Phase: the agent changes files." },
  verifying: { text: "Phase: the agent runs tests and other checks." },
  delivering: { text: "Phase: the agent commits, pushes or opens a pull request." },
  answering: { text: "Phase: the agent answers, and changes nothing." },
  blocked: { text: "Phase: the agent needs help to continue." },
  working: { text: "Phase: the only one of a run without a phase graph." },
  // The policies that name nudges, refusals and stops.
  "phase-tracker": { text: "Policy. Finds out which phase the agent is in, from what it does." },
  saturation: { text: "Policy. Nudges an agent that reads on and on and learns nothing new." },
  "test-failures": { text: "Policy. Nudges an agent whose tests fail several times in a row." },
  "text-only-reminder": { text: "Policy. Nudges an agent that writes text and makes no call." },
  "untested-edits": { text: "Policy. Nudges an agent that edits much and tests nothing." },
  expectations: { text: "Policy. Notes what the user asked for: repetition on purpose, or that files are to change." },
  escalation: {
    text: "Policy. Turns alerts into consequences: a nudge, then refused calls, a review, at last a stop.",
  },
  review: { text: "Policy. Asks a person or a model whether the run may continue." },
  reminders: { text: "Policy. Reminds the agent of open work before it finishes." },
  "shared-calls": { text: "Policy. Notices child runs that make the same call." },
  "compaction-reminder": { text: "Policy. Tells the agent what counts after its context was compacted." },
  "compaction-limit": { text: "Policy. Stops a run whose context is compacted again and again." },
  "sub-agent-limit": { text: "Policy. Refuses to start more sub-agents than the limit." },
  budget: { text: "Policy. Stops a run at its limit of turns, tokens, time or cost, and warns before." },
  "phase-budget": { text: "Policy. Warns an agent whose exploring takes too large a share of the budget." },
  "shell-failures": { text: "Policy. Nudges an agent whose shell commands keep failing." },
  "stall-reminder": { text: "Policy. Nudges an agent that stays in one phase for many turns." },
  "phase-guidance": { text: "Policy. Tells the agent what a phase is about when it enters it." },
  "phase-rules": { text: "Policy. Refuses tools and activities that the present phase does not allow." },
  "required-phases": { text: "Policy. Sends the agent back while the graph still owes a phase." },
  "once-only": { text: "Policy. Refuses to repeat a call that worked and cannot be taken back." },
  "circuit-breaker": { text: "Policy. Refuses a call that failed several times in the same way." },
  "required-call": { text: "Policy. Asks for a call that the phase owes, and ends the run if it never comes." },
  "validation-retries": { text: "Policy. Ends a run whose model cannot produce valid arguments." },
  "self-protection": { text: "Policy. Refuses changes an agent makes to its own hooks, configuration or waivers." },
  "artifact-only": { text: "Policy. Refuses to write other files than the artifact of the phase." },
  conversation: { text: "Policy. Closes a round of several agents when all have finished or its time is up." },
  "conversation-phase": { text: "Policy. Applies the rules of the conversation's phase to the run of an agent." },
  "agent-todos": { text: "Policy. Keeps the todo list of an agent in a conversation." },
  reflection: { text: "Gate of a conversation. Every participant has reflected on the cycle before it ends." },
  verification: { text: "Gate of a conversation. The verification phase has an outcome." },
};
