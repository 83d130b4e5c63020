/** Sets in which an agent works on code and the outcome is known. */
export const CODING: readonly string[] = [
  "openhands-swebv",
  "sweagent-lite",
  "sweagent-java",
  "mini-swebv",
  "mini-terminalbench",
  "super",
  "agents-study",
  "aider-swelite",
  // Raw logs of --logs.
  "logs",
];

const CONVERSATIONS = new Set([
  "tau",
  "agentrx",
  "claude-code",
  "codex",
  "opencode",
  "copilot-cli",
  "gemini-cli",
  "cline",
  "pi",
  "aider-swelite",
  // Raw logs of --logs are sessions of people.
  "logs",
]);

/** True if a person, or a simulated one, writes the user texts between two calls. Elsewhere the harness does. */
export const isConversation = (set: string): boolean => CONVERSATIONS.has(set);
