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
