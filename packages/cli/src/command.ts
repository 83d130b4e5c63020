import type { OpenDatabase } from "./database/open-database.ts";
import type { ExitCode } from "./exit-code.ts";
import type { LoadedConfig } from "./load-config.ts";
import type { Terminal } from "./terminal.ts";

/** What a command works with. Everything of the outside world comes from here. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly now: () => number;
  /** `--json` was given: what the command streams is left out, its answer is printed as one object. */
  readonly json: boolean;
  readonly config: () => Promise<LoadedConfig>;
  /** The database that was asked for; absent when runs are read from files. */
  readonly database?: OpenDatabase;
  /** Ends when the person wants out (Ctrl-C). */
  readonly signal: AbortSignal;
}

/** What a command found: once as data, once as lines for people. */
export interface Answer {
  readonly exitCode: ExitCode;
  readonly data: object;
  readonly lines: readonly string[];
}

/** The arguments of a command, as they were typed. */
export interface CommandInput {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** Carries out a command. */
export type CommandRun = (input: CommandInput, context: CommandContext) => Promise<Answer>;

/** A command as the parser, the help and the completion know it. */
export interface CommandSpec {
  /** Its name and arguments, such as `why [run]`. */
  readonly usage: string;
  readonly summary: string;
  readonly options?: readonly (readonly [flags: string, text: string])[];
  readonly examples?: readonly string[];
  /** It can read a database when `--db` asks for it, or always needs one. @default it knows of none */
  readonly database?: "asked" | "needed";
}
