const MACHINE_PROMPT = /^\s*<(?:task-notification|system-reminder|background-task|bash-notification)\b/;

/** True if an agent made a prompt itself, such as the report of a task in the background: no person asks anything. */
export function isMachinePrompt(text: string): boolean {
  return MACHINE_PROMPT.test(text);
}
