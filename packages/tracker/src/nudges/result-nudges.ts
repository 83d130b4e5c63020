import type { Policy } from "@phasekit/core";
import { shellFailures, type ShellFailuresOptions } from "./shell-failures.ts";
import { testFailures, type TestFailuresOptions } from "./test-failures.ts";
import { textOnlyReminder, type TextOnlyReminderOptions } from "./text-only-reminder.ts";
import { untestedEdits, type UntestedEditsOptions } from "./untested-edits.ts";

export interface ResultNudgesOptions {
  readonly testFailures?: TestFailuresOptions;
  readonly shellFailures?: ShellFailuresOptions;
  readonly textOnlyReminder?: TextOnlyReminderOptions;
  readonly untestedEdits?: UntestedEditsOptions;
}

/**
 * The four nudges about results as one bundle: failing tests, failing commands, talk without tools, edits without
 * tests.
 *
 * @example
 * policies: [phaseTracker(), resultNudges({ testFailures: { after: 5 } })]
 */
export function resultNudges(options: ResultNudgesOptions = {}): readonly Policy[] {
  return [
    testFailures(options.testFailures),
    shellFailures(options.shellFailures),
    textOnlyReminder(options.textOnlyReminder),
    untestedEdits(options.untestedEdits),
  ];
}
