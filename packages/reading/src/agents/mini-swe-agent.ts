const FINISHES = /^(?:COMPLETE_TASK_AND_SUBMIT|MINI_SWE_AGENT_FINAL)/;

/** True if a command prints the word by which mini-swe-agent says that it is done. */
export function isFinalWord(words: readonly string[]): boolean {
  return FINISHES.test(words[1] ?? "");
}
