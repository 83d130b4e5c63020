import type { Activity } from "@phasekit/core";

/** What one program call does. */
export interface CommandReading {
  /** `undefined` for what is neither here nor there: `cd`, `export`, a filter in a pipe. */
  readonly activity: Activity | undefined;
  /** Files it names. */
  readonly targets: readonly string[];
  readonly mutates: boolean;
  /** For tests and checks: which runner, when the command says so. */
  readonly runner?: string;
  /** It runs a program, as against an administrative command: after an edit that is trying out what was changed. */
  readonly program?: boolean;
}

/** Makes a reading; edits, installations and writes to version control change something. */
export function reading(activity: Activity | undefined, options: Partial<Omit<CommandReading, "activity">> = {}): CommandReading {
  return { activity, targets: [], mutates: activity === "edit" || activity === "install" || activity === "vcs-write", ...options };
}

/** Words that are no options. */
export function operandsOf(words: readonly string[]): readonly string[] {
  return words.slice(1).filter((word) => word !== "" && !word.startsWith("-"));
}
