import { definePolicy, nudge, type Policy } from "@phasekit/core";
import { ownWork, workOf } from "../own-work.ts";

export interface ShellFailuresFacts {
  readonly failures: number;
  /** The last one was about a file: reading, searching or changing it. */
  readonly fileWork: boolean;
}

export interface ShellFailuresOptions {
  /** Failing shell commands in a row, tests not counted. @default 3 */
  readonly after?: number;
  readonly text?: (facts: ShellFailuresFacts) => string;
}

/**
 * Tells an agent whose shell commands keep failing to try something else; for work on files, to use the file tools.
 *
 * @example
 * policies: [phaseTracker(), shellFailures()]
 */
export function shellFailures({ after = 3, text = defaultText }: ShellFailuresOptions = {}): Policy {
  return definePolicy({
    name: "shell-failures",
    version: "1",
    ...ownWork(),
    decide: {
      "turn.started": (run, state) => {
        const { consecutiveBashFailures: failures, shellStreakSeq, lastShellFailure } = workOf(run, state);
        if (failures < after) return undefined;
        const fileWork = lastShellFailure === "read" || lastShellFailure === "search" || lastShellFailure === "edit";
        return nudge(text({ failures, fileWork }), {
          episode: `streak:${String(shellStreakSeq)}`,
          topic: "failures",
          priority: 12,
        });
      },
    },
  });
}

function defaultText({ failures, fileWork }: ShellFailuresFacts): string {
  const advice = fileWork
    ? "Use the tools for reading, searching and editing files instead of the shell."
    : "Find out why before you try the next one: read the error, check paths and what is installed, or take another way.";
  return `${String(failures)} shell commands in a row have failed. ${advice}`;
}
