import type { CommandSpec } from "./command.ts";
import { logFilters } from "./logs/log-filters.ts";

const WHICH = "a log file, a folder of logs, or a run id (default: the newest run on this machine)";

const PRICES = [
  "--prices <file>",
  "Use these prices: USD per million tokens by model, or the JSON of LiteLLM",
] as const;

const PUBLIC = [
  "--public",
  "Make the output readable by other users of this machine (mode 0644 instead of 0600)",
] as const;

const READ = "Look at runs";
const LIVE = "Inside an agent";
const CHECK = "Judge runs";
const TEAM = "Work items of a team";
const SETUP = "Set up";

/**
 * Every command with its help. The parser, the help and shell completion read this table. To add a command: a file in
 * `commands`, an entry here and one in `load-command.ts`.
 */
export const commandTable: readonly CommandSpec[] = [
  {
    usage: "why [run]",
    group: READ,
    short: "Explain why the newest run of this project stopped",
    database: "asked",
    summary: "Show in ten lines what a run did, why it stopped and what it wasted",
    options: [
      ["--task", "Also print the task (message text is hidden by default)"],
      ["--handoff", "Print a checkpoint for the next session: done, to do, checks, failures"],
      ["--latest", "Take the newest run without asking which one"],
      PRICES,
      ...logFilters,
    ],
    examples: [
      "phasekit why",
      "phasekit why --here --since 7d",
      "phasekit why ~/.claude/projects/my-app",
      "phasekit why run.jsonl --json",
      "phasekit why --latest --handoff",
    ],
  },
  {
    usage: "runs [path]",
    group: READ,
    short: "List runs with tokens and end reason",
    database: "asked",
    summary: "List the newest runs with calls, tokens and end reason",
    options: [
      ["--limit <n>", "Read at most <n> logs (default 20, with --by all)"],
      ...logFilters,
      ["--looping", "Show only runs with a loop"],
      ["--unverified", "Show only runs that are not verified"],
      ["--ended <reason>", "Show only runs that ended with <reason>, such as turn_limit"],
      PRICES,
      ["--by <what>", "Group the runs and sum them up: project, day, tool or end"],
    ],
    examples: ["phasekit runs --here", "phasekit runs --since 7d --by project"],
  },
  {
    usage: "usage",
    group: READ,
    short: "Sum up tokens and cost by day",
    summary: "Sum up tokens and cost of all agents on this machine by day, project, model or tool",
    options: [
      ["--by <what>", "Sum up by day, project, model or tool (default day)"],
      ...logFilters,
      PRICES,
      ["--verified", "Also count verified runs: reads and judges every run, which takes longer"],
      ["--out <file>", "Write a page with a chart over time to this file"],
      ["--open", "Open the page in the browser"],
    ],
    examples: ["phasekit usage --since 7d", "phasekit usage --by model", "phasekit usage --out usage.html --open"],
  },
  {
    usage: "pick [command]",
    group: READ,
    short: "Pick a run from a list and explain it",
    summary: "Pick a run from a list, then run a command on it: why (default), check, tail, report or export",
    options: [...logFilters],
    examples: ["phasekit pick", "phasekit pick report --here"],
  },
  {
    usage: "simulate [...logs]",
    group: CHECK,
    summary: "Back-test policies on old runs: what fires, when, and what was spent afterwards",
    options: [
      [
        "--policy <name>",
        "Test this preset (coding, watchdog, gates, none) or file (default: the config, then coding)",
      ],
      ["--compare <name>", "Test a second preset or file and show both side by side"],
      ["--mode <mode>", "Simulate this mode: observe, nudge or gate (default gate, to see every decision)"],
    ],
    examples: ["phasekit simulate ./logs", "phasekit simulate ./logs --policy policy.ts --compare coding"],
  },
  {
    usage: "check [run]",
    group: CHECK,
    short: "Fail in CI if a run is unfinished, unverified or looping",
    database: "asked",
    summary:
      "Gate for CI: exit 1 if one of the runs did not finish, is unverified, ended in a loop or exceeded a limit",
    options: [
      ["--only-latest", "Check only the newest run of the folder or database"],
      ...logFilters,
      ["--junit <file>", "Also write the results as JUnit XML to this file"],
      ["--without <gates>", "Skip these gates: finished, verified, no-loop"],
      ["--evidence <grade>", "Fail if the evidence is weaker than proven or supported (default supported)"],
      ["--max-turns <n>", "Fail if the run took more than <n> turns"],
      ["--max-tokens <n>", "Fail if the run used more than <n> tokens"],
      ["--max-wasted <n>", "Fail if more than <n> calls brought nothing new"],
      ["--waive <gate>", "Accept a failure of this gate (requires --reason)"],
      ["--reason <text>", "Record why the gate is waived"],
      ["--base <rev>", "Compare the config with this commit (default: the merge base with the default branch)"],
    ],
    examples: [
      "phasekit check .phasekit/runs",
      "phasekit check --db --since 1d --junit phasekit.xml",
      'phasekit check run.jsonl --waive verified --reason "docs only"',
    ],
  },
  {
    usage: "tail [run]",
    endless: true,
    group: READ,
    summary: "Follow a run: print phases, alerts, nudges and test results as they happen",
    options: [
      ["--no-follow", "Print the events so far and exit"],
      ["--all", "Also print every tool call and dropped nudge"],
    ],
  },
  {
    usage: "watch",
    endless: true,
    group: READ,
    short: "Show all live runs on this machine",
    summary: "Show all live runs on this machine: phases, tokens, cost, open alerts and what is owed",
    options: [
      ["--once", "Print the runs once and exit"],
      ["--here", "Show only runs of the current project"],
      ["--project <name>", "Show only runs whose folder contains <name>"],
      ["--since <time>", "Show only runs written since <time>, such as 2h (default 15m)"],
      ["--tool <name>", "Show only runs of tool <name>, such as claude-code"],
      PRICES,
    ],
    examples: ["phasekit watch", "phasekit watch --here", "phasekit watch --json"],
  },
  {
    usage: "diff <a> <b>",
    group: READ,
    summary: "Compare two runs: phases, calls, tokens, end reason",
    options: [["--calls", "Also list the calls that differ"]],
  },
  {
    usage: "contracts <action> [name]",
    group: TEAM,
    summary: "Check a folder of contracts (check), print the prompt for a phase (prompt) or create a contract (new)",
    options: [
      ["--dir <folder>", "Read contracts from this folder (default: the config, then ./contracts)"],
      ["--item <id>", "Use this item id in the prompt (default ITEM-1)"],
      ["--next <phase>", "Set the phase that follows the new one"],
      ["--force", "Overwrite an existing file"],
      ["--dry-run", "Print the files without writing them"],
    ],
    examples: [
      "phasekit contracts check",
      "phasekit contracts prompt research",
      "phasekit contracts new research --next plan",
    ],
  },
  {
    usage: "explain [code]",
    group: READ,
    short: "Explain any word that Phasekit prints",
    summary:
      "Explain any word that Phasekit prints: a reason, grade, alert, gate or error code; without one, list them all",
  },
  {
    usage: "export [run]",
    group: READ,
    summary: "Export a run as events (--json), as an archive (--archive), as ATIF (--atif) or as a trace (--otlp)",
    options: [
      ["--archive <folder>", "Write an archive to this folder"],
      ["--atif", "Print the run as ATIF"],
      ["--otlp", "Print the run as an OpenTelemetry trace; with --since, all runs since then"],
      ["--endpoint <url>", "Send the trace to this OTLP endpoint, such as http://localhost:4318"],
      ["--header <k=v>", "Send this header to the endpoint; can be repeated"],
      ["--as-spans", "Send alerts, nudges and gates as spans, for backends without logs"],
      ["--out <file>", "Write to this file instead of printing"],
      ["--text", "Include message and tool text in ATIF and traces (omitted by default)"],
      PUBLIC,
      ...logFilters,
    ],
    examples: [
      "phasekit export --otlp --endpoint http://localhost:4318",
      'phasekit export --since 7d --endpoint https://api.honeycomb.io --header "x-honeycomb-team=$KEY"',
      "phasekit export run.jsonl --otlp --out trace.jsonl",
    ],
  },
  {
    usage: "report [...runs]",
    group: READ,
    short: "Write an HTML report of a run",
    database: "asked",
    summary: "Write a self-contained HTML report of one run, a folder of runs or two runs",
    options: [
      ["--out <path>", "Write to this path (default phasekit-report.html; for a folder of runs, phasekit-report/)"],
      ["--compare", "Compare two runs, or one run under two policies"],
      ["--policy <name>", "With --compare, given twice: the presets or files to compare"],
      ["--share", "Leave out secrets, prompts, answers, tool texts and names of files, to give the page away"],
      PRICES,
      PUBLIC,
      ["--open", "Open the page in the browser"],
    ],
    examples: [
      "phasekit report",
      "phasekit report ./logs --out report",
      "phasekit report --compare a.jsonl b.jsonl --open",
    ],
  },
  {
    usage: "ui [folder]",
    endless: true,
    group: READ,
    database: "asked",
    summary: "Serve your own runs as live pages on localhost; answer pending reviews there",
    options: [
      ["--port <n>", "Listen on this port (default: any free port)"],
      ["--reviews <folder>", "Exchange review answers in this folder (default: a private folder outside the project)"],
      PRICES,
      ["--open", "Open the page in the browser"],
    ],
  },
  {
    usage: "db <action>",
    group: TEAM,
    database: "needed",
    summary: "Manage a PostgreSQL database: migrate its tables, show its status, check its setup, prune old runs",
    options: [
      ["--older-than <time>", "Remove runs without an event since <time>: 90d, or a date such as 2026-01-31 (prune)"],
      ["--dry-run", "Change nothing: print the SQL (migrate), or count the runs (prune)"],
    ],
    examples: [
      "phasekit db migrate --db postgres://localhost/app --dry-run",
      "PHASEKIT_DATABASE_URL=postgres://localhost/app phasekit db status",
      "phasekit db prune --db postgres://localhost/app --older-than 90d",
    ],
  },
  {
    usage: "worker",
    endless: true,
    group: TEAM,
    database: "needed",
    summary: "Process claims, run judges, expire revisions and deliver hooks until stopped",
    options: [
      ["--dir <folder>", "Read contracts from this folder (default: the config, then ./contracts)"],
      ["--name <name>", "Put this name into every line and into health (default: the host and the process)"],
      ["--interval <ms>", "Pause between rounds in milliseconds (default 500)"],
      ["--port <n>", "Serve health and metrics on this localhost port (default: any free port)"],
      ["--once", "Run one round and exit"],
    ],
    examples: ["phasekit worker --db postgres://localhost/app"],
  },
  {
    usage: "trust [file]",
    group: SETUP,
    summary: "Approve a config or policy file, in its current content, to run code (default: the nearest config)",
    options: [["--list", "List approved files"]],
    examples: ["phasekit trust phasekit.config.ts", "phasekit trust --list"],
  },
  {
    usage: "untrust [file]",
    group: SETUP,
    summary: "Revoke the approval of a file (default: the nearest config)",
    options: [["--all", "Revoke all approvals"]],
  },
  {
    usage: "init [agent]",
    group: LIVE,
    short: "Put live hooks into an agent, such as claude-code",
    summary: "Put live hooks into an agent, such as claude-code; without one, create a config and an example policy",
    options: [
      ["--mode <mode>", "Set how much reaches the agent: observe, nudge or gate (asks; default observe)"],
      [
        "--scope <scope>",
        "Change these settings: user, project (shared) or local (private, Claude Code) (default user)",
      ],
      ["--transport <name>", "Reach Phasekit by command or mcp (Codex) (default: command)"],
      ["--statusline", "Also add a status line to Claude Code, unless you have one"],
      ["--uninstall", "Remove the hooks and restore the settings"],
      ["--plugin <folder>", "Write a plugin folder for Claude Code and Codex instead of changing settings"],
      ["--yes", "Make the changes without asking"],
      ["--dry-run", "Print the changes without making them"],
      ["--force", "Without an agent: overwrite existing files"],
    ],
    examples: [
      "phasekit init claude-code --mode nudge",
      "phasekit init codex --dry-run",
      "phasekit init claude-code --uninstall",
    ],
  },
  {
    usage: "hook [agent] [event]",
    group: LIVE,
    summary: "Answer one hook event of an agent, read from standard input; agents call this",
    examples: ["phasekit hook claude-code < event.json"],
  },
  {
    usage: "statusline",
    group: LIVE,
    summary: "Print the status line of the live session; Claude Code calls this",
  },
  {
    usage: "waive <gate>",
    group: LIVE,
    summary: "Let the agent of this folder finish without a gate, such as tests-fresh; agents cannot",
    options: [
      ["--reason <text>", "Record why the gate is waived (required)"],
      ["--session <id>", "Waive it in this session only (default: the sessions of this folder)"],
    ],
    examples: ['phasekit waive tests-fresh --reason "There are no tests here."'],
  },
  {
    usage: "doctor",
    group: SETUP,
    short: "Check the setup",
    summary: "Check Node, the config, the log folders, your own runs and live hooks",
  },
  {
    usage: "demo [story]",
    group: SETUP,
    short: "Watch a scripted agent work",
    summary: "Watch a scripted agent work on a failing project in mode gate: good, loop, fake-done or explorer",
    options: [
      ["--fast", "Skip the pauses between steps"],
      ["--store <folder>", "Store the run in this folder"],
    ],
  },
  {
    usage: "cache [action]",
    group: SETUP,
    summary: "Show the size of the cache of log summaries, or delete it (clear)",
    examples: ["phasekit cache clear"],
  },
  {
    usage: "completion [shell]",
    group: SETUP,
    summary: "Print a completion script for bash, zsh, fish or powershell",
    examples: ["source <(phasekit completion bash)"],
  },
];

/** Explains the `[run]` argument in the help. */
export const runArgumentText = WHICH;

const databaseOptions: NonNullable<CommandSpec["options"]> = [
  ["--db [url]", "Read from PostgreSQL instead of files (default url: PHASEKIT_DATABASE_URL, then the config)"],
  ["--schema <name>", "Use this database schema (default phasekit)"],
];

/** Returns the options of a command, including the database options. */
export function optionsOf({ options = [], database }: CommandSpec): NonNullable<CommandSpec["options"]> {
  return database === undefined ? options : [...options, ...databaseOptions];
}

/** Options of every command. */
export const globalOptions: readonly (readonly [flags: string, text: string])[] = [
  ["--json", "Print one JSON object instead of text"],
  ["--no-color", "Print without colors, as NO_COLOR=1 does"],
  ["--no-cache", "Read every log, instead of using summaries of logs that did not change"],
  ["--config <file>", "Use this config instead of the nearest phasekit.config.* (runs its code)"],
  ["--trust-config", "Allow the nearest config to run code this once, without `phasekit trust` (for CI)"],
  ["-h, --help", "Show the help; with --all, of all commands"],
];
