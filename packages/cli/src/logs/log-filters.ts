/** The options that choose among the logs of this machine. */
export const logFilters: readonly (readonly [flags: string, text: string])[] = [
  ["--here", "Use only logs of the current project"],
  ["--project <name>", "Use only logs whose folder contains <name>"],
  ["--since <time>", "Use only runs since <time>: 30m, 12h, 7d or a date such as 2026-01-31"],
  ["--tool <name>", 'Use only logs of tool <name>, such as claude-code or "Claude Code"'],
];
