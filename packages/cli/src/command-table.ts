import type { CommandSpec } from "./command.ts";

const WHICH = "a log file, a folder of logs, or the id of a run; without it, the newest run on this machine";

/** Every command as the parser, the help and the completion know it. Adding one is a file in `commands`, an entry here and one in `load-command.ts`. */
export const commandTable: readonly CommandSpec[] = [
  {
    usage: "why [run]",
    database: "asked",
    summary: "Say in ten lines what the last run did, why it stopped and what it wasted",
    options: [["--task", "Also print the task as it was given (message text is left out by default)"]],
    examples: ["phasekit why", "phasekit why ~/.claude/projects/my-app", "phasekit why run.jsonl --json"],
  },
  {
    usage: "runs [path]",
    database: "asked",
    summary: "List the newest runs with their end and cost, and count how runs end",
    options: [["--limit <n>", "How many to read (default 20)"], ["--tool <name>", "Only logs of one tool"]],
  },
  {
    usage: "simulate [...logs]",
    summary: "Back-test policies on old runs: what would have fired, when, and what was spent after",
    options: [
      ["--policy <name>", "A preset (coding, watchdog, gates, none) or a file; default: the config, then coding"],
      ["--compare <name>", "A second policy to set beside the first"],
      ["--mode <mode>", "observe, nudge or gate (default gate)"],
    ],
    examples: ["phasekit simulate ./logs", "phasekit simulate ./logs --policy policy.ts --compare coding"],
  },
  {
    usage: "check [run]",
    summary: "Gate for CI: exit 1 when a run did not finish, is not verified, loops or is over a limit",
    options: [
      ["--without <gates>", "Gates not to ask: finished, verified, no-loop"],
      ["--max-turns <n>", "Fail above so many turns"],
      ["--max-tokens <n>", "Fail above so many tokens"],
      ["--max-wasted <n>", "Fail above so many wasted calls"],
      ["--waive <gate>", "Let one gate pass; needs --reason"],
      ["--reason <text>", "Why the gate is waived"],
    ],
  },
  {
    usage: "tail [run]",
    summary: "Follow a run: phases, alerts, nudges and calls as they come",
    options: [["--no-follow", "Print what there is and end"], ["--all", "Also every call"]],
  },
  {
    usage: "diff <a> <b>",
    summary: "Set two runs side by side: phases, calls, cost, end",
    options: [["--calls", "Also list the calls that differ"]],
  },
  {
    usage: "contracts <action> [name]",
    summary: "check a folder of contracts, print the prompt of one (prompt), or start a new one (new)",
    options: [["--dir <folder>", "Where the contracts are (default: the config, then ./contracts)"], ["--item <id>", "The item named in a prompt (default ITEM-1)"], ["--next <phase>", "The phase after a new one"], ["--force", "Replace a file that is there"], ["--dry-run", "Print instead of writing"]],
    examples: ["phasekit contracts check", "phasekit contracts prompt research", "phasekit contracts new research --next plan"],
  },
  {
    usage: "explain [code]",
    summary: "Explain a reason, an alert, a gate or an error; without a code, list them all",
  },
  {
    usage: "export [run]",
    summary: "Write a run as our events (--json), an archive folder (--archive) or ATIF (--atif)",
    options: [["--archive <folder>", "Write an archive folder"], ["--atif", "Print it as ATIF"], ["--out <file>", "Write there instead of printing"], ["--text", "Keep message and tool text in ATIF (left out by default)"]],
  },
  {
    usage: "report [...runs]",
    database: "asked",
    summary: "Write a run, a folder of runs or two runs as one HTML page that opens from disk",
    options: [["--out <path>", "Where to write (default phasekit-report.html, or a folder of that name)"], ["--compare", "Two runs side by side, or one run under two policies"], ["--policy <name>", "With --compare, twice: presets or files, as for simulate"], ["--open", "Open it in the browser"]],
    examples: ["phasekit report", "phasekit report ./logs --out report", "phasekit report --compare a.jsonl b.jsonl --open"],
  },
  {
    usage: "ui [folder]",
    database: "asked",
    summary: "Serve your own runs as live pages on this machine; reviews that wait can be answered there",
    options: [["--port <n>", "Listen there (default: any free port)"], ["--open", "Open it in the browser"]],
  },
  {
    usage: "db <action>",
    database: "needed",
    summary: "migrate the tables of a PostgreSQL database, say what is in them (status), or look at its set-up (doctor)",
    options: [["--dry-run", "Print what migrate would do instead of doing it"]],
    examples: ["phasekit db migrate --db postgres://localhost/app --dry-run", "PHASEKIT_DATABASE_URL=postgres://localhost/app phasekit db status"],
  },
  {
    usage: "worker",
    database: "needed",
    summary: "Decide claims, ask judges, let waits run out and deliver messages, until it is told to stop",
    options: [
      ["--dir <folder>", "Where the contracts are (default: the config, then ./contracts)"],
      ["--interval <ms>", "The pause between rounds (default 500)"],
      ["--port <n>", "Say on this port of this machine how it goes (default: any free port)"],
      ["--once", "One round, then end"],
    ],
    examples: ["phasekit worker --db postgres://localhost/app"],
  },
  {
    usage: "init",
    summary: "Write phasekit.config.ts and an example policy",
    options: [["--dry-run", "Print instead of writing"], ["--force", "Replace files that are there"]],
  },
  {
    usage: "doctor",
    summary: "Look at Node, the config, the places where logs are, and the logs of your own runs",
  },
  {
    usage: "demo [story]",
    summary: "Watch a scripted agent fix a failing project: good, loop, fake-done or explorer",
    options: [["--fast", "Do not wait between steps"], ["--keep <folder>", "Keep the log of the run there"]],
  },
  {
    usage: "completion [shell]",
    summary: "Print a completion script for bash, zsh, fish or powershell",
    examples: ["source <(phasekit completion bash)"],
  },
];

/** What `[run]` means, for the help. */
export const runArgumentText = WHICH;

const databaseOptions: NonNullable<CommandSpec["options"]> = [
  ["--db [url]", "A PostgreSQL database instead of files; without an address PHASEKIT_DATABASE_URL, then the config"],
  ["--schema <name>", "The schema with its tables (default phasekit)"],
];

/** The options of a command, with those of its database. */
export function optionsOf({ options = [], database }: CommandSpec): NonNullable<CommandSpec["options"]> {
  return database === undefined ? options : [...options, ...databaseOptions];
}

/** Options of every command. */
export const globalOptions: readonly (readonly [flags: string, text: string])[] = [
  ["--json", "Print one JSON object instead of text"],
  ["--config <file>", "Use this config instead of the nearest phasekit.config.ts"],
];
