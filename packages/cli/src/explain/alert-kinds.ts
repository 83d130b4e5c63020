/** The meaning of each watchdog alert and pattern, and the fix. A test compares it with the sources of the watchdog. */
export const alertKinds: Readonly<Record<string, { readonly text: string; readonly fix: string }>> = {
  "call-timeout": {
    text: "A tool call or a model answer took longer than its limit.",
    fix: "Set a timeout on the tool, or raise `callMs` of `limits()`.",
  },
  chanting: {
    text: "The model repeats one passage inside a single answer.",
    fix: "Abort the answer. A lower temperature or a shorter context usually helps.",
  },
  "cumulative-loop": {
    text: "Many corrections of one kind add up in one phase.",
    fix: "Look for a common cause one step earlier.",
  },
  cycle: {
    text: "Pattern of a stall: the agent repeats a round of calls and learns nothing new.",
    fix: "Change the input of one of the steps; repeating the round changes nothing.",
  },
  failing: {
    text: "Pattern of a stall: most of the last calls failed.",
    fix: "Find what the failures have in common: the approach is wrong, not a single call.",
  },
  "no-gain": {
    text: "Pattern of a stall: the last calls brought nothing new and changed nothing.",
    fix: "Say what is known and what is missing, then take a step that was not tried.",
  },
  "quota-floor": {
    text: "The remaining API quota reached its configured minimum.",
    fix: "Stop now and resume when the quota resets.",
  },
  repeat: {
    text: "The agent repeats a call and gets the same answer; also the pattern of a stall.",
    fix: "Use the answer, or fix the cause of the error before the next attempt.",
  },
  "same-answer": {
    text: "Pattern of a stall: different calls get the same answer.",
    fix: "The answer is not there: search another way.",
  },
  "shared-call": {
    text: "Several child runs make the same call.",
    fix: "Let one of them make it and pass the answer on, or raise `sharedCalls` of `limits()`.",
  },
  silence: {
    text: "The run recorded no event for longer than the limit of its phase.",
    fix: "Check that the host is still running.",
  },
  stagnation: { text: "The same failure keeps returning.", fix: "Change the approach, not the budget." },
  stall: {
    text: "The agent keeps acting and learns and changes nothing.",
    fix: "Read the pattern and the call the alert names. If the user asked for repetition, record `expectation.set`.",
  },
  text: {
    text: "Pattern of a stall: the agent sends text after text without a call or an answer in between.",
    fix: "Ask for an action, answer the message, or end the run.",
  },
  unmoved: {
    text: "Pattern of a stall: change after change lands, and the same check fails in the same way.",
    fix: "Find out why the changes have no effect: the wrong file, a stale build, or another cause.",
  },
  "upstream-errors": {
    text: "The model provider returns errors, some of them as regular answers.",
    fix: "Wait, or switch to another provider.",
  },
  waiting: {
    text: "Pattern of a stall: the agent keeps polling something that makes no progress.",
    fix: "Wait once, for longer, or find out why it hangs.",
  },
};

/** The meaning of each gate, and the fix. */
export const gates: Readonly<Record<string, { readonly text: string; readonly fix: string }>> = {
  "tests-fresh": {
    text: "Passes if the tests ran and passed after the last edit.",
    fix: "Run the tests so that their summary and exit code are visible: no pipe, no `|| true`.",
  },
  "tests-kept": {
    text: "Passes if no test was deleted, skipped or emptied.",
    fix: "Restore the test, or explain why it had to change.",
  },
  "diff-not-empty": {
    text: "Passes if the run changed something.",
    fix: "Make the change, or say that none is needed.",
  },
  "todos-done": {
    text: "Passes if the agent's own todo list has no open items.",
    fix: "Finish the items, or cancel them with a reason.",
  },
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
  "claims-true": {
    text: "Passes if what the agent says about tests and files is true.",
    fix: "Compare the answer with the output it names, and let the agent correct one of them.",
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
