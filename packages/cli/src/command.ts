import type { OpenDatabase } from "./database/open-database.ts";
import type { ExitCode } from "./exit-code.ts";
import type { LoadedConfig } from "./config/load-config.ts";
import type { LogIndex } from "./log-index/log-index.ts";
import type { Terminal } from "./terminal.ts";

/** Everything a command gets from the outside. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly now: () => number;
  /** True with `--json`: the command streams nothing and prints one object. */
  readonly json: boolean;
  readonly config: () => Promise<LoadedConfig>;
  /** The folder of the user for files that are safe to delete; absent with `--no-cache`. */
  readonly cacheFolder?: string;
  /** Summaries of logs read before, under the policies of the config. */
  readonly index: () => Promise<LogIndex>;
  /** The database of `--db`; absent if runs are read from files. */
  readonly database?: OpenDatabase;
  /** Runs another command with the same context. */
  readonly runCommand: (name: string, input: CommandInput) => Promise<Answer>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** The result of a command, as data and as lines of text. */
export interface Answer {
  readonly exitCode: ExitCode;
  readonly data: object;
  readonly lines: readonly string[];
  /** True if the lines are code or data to copy: they are not wrapped. @default false */
  readonly isCode?: boolean;
}

/** The arguments and options of a command line. */
export interface CommandInput {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** Runs a command. */
export type CommandRun = (input: CommandInput, context: CommandContext) => Promise<Answer>;

/** The description of a command for the parser, the help and shell completion. */
export interface CommandSpec {
  /** Name and arguments, such as `why [run]`. */
  readonly usage: string;
  /** The heading in the full help. */
  readonly group: string;
  readonly summary: string;
  /** The line in the short help; absent if the command is only in the full help. */
  readonly short?: string;
  readonly options?: readonly (readonly [flags: string, text: string])[];
  readonly examples?: readonly string[];
  /** True if Ctrl-C is the usual way to end the command. @default false */
  readonly endless?: boolean;
  /** `asked`: reads a database with `--db`; `needed`: always needs one. @default no database */
  readonly database?: "asked" | "needed";
}

/** The name of a command. */
export const nameOfCommand = ({ usage }: Pick<CommandSpec, "usage">): string => usage.split(" ", 1)[0] ?? "";
