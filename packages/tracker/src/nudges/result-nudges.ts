import type { Policy } from "@phasekit/core";
import { shellFailures, type ShellFailuresOptions } from "./shell-failures.ts";
import { testFailures, type TestFailuresOptions } from "./test-failures.ts";
import { textOnlyReminder, type TextOnlyReminderOptions } from "./text-only-reminder.ts";
import { untestedEdits, type UntestedEditsOptions } from "./untested-edits.ts";

/** Options for `resultNudges()`. All optional; `false` leaves a nudge out. */
export interface ResultNudgesOptions {
  readonly testFailures?: TestFailuresOptions | false;
  readonly shellFailures?: ShellFailuresOptions | false;
  readonly textOnlyReminder?: TextOnlyReminderOptions | false;
  readonly untestedEdits?: UntestedEditsOptions | false;
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
    ...chosen(testFailures, options.testFailures),
    ...chosen(shellFailures, options.shellFailures),
    ...chosen(textOnlyReminder, options.textOnlyReminder),
    ...chosen(untestedEdits, options.untestedEdits),
  ];
}

function chosen<T>(create: (options?: T) => Policy, options: T | false | undefined): readonly Policy[] {
  return options === false ? [] : [create(options)];
}
