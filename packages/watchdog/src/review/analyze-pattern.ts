import type { Finding } from "../alert-text.ts";
import { labelOf } from "@phasekit/core/account";
import type { ReviewLog } from "./review-log.ts";

/** The numbers about the recent calls, for a reviewer. */
export interface PatternAnalysis {
  readonly findings: readonly Finding[];
  readonly alert: boolean;
  readonly failed: number;
  readonly total: number;
  /** The same for people, one line each. */
  readonly text: string;
}

type Calls = ReviewLog["calls"];

const LEAST_MESSAGES = 3;
const ALERT =
  "**ALERT**: this is not going to resolve itself. Ask for changes and say which, or abandon the work; " +
  "do not just approve.";

/**
 * Analyzes the recent calls with measures that fit every platform: how many failed, whether one failed twice in a row,
 * whether one succeeded three times in a row. Open alerts are findings too. Each kind of finding is reported once.
 */
export function analyzePattern(
  { calls, seen }: Pick<ReviewLog, "calls" | "seen">,
  alerts: readonly Finding[] = [],
): PatternAnalysis {
  const total = calls.length;
  const failed = calls.filter((call) => call.failed).length;
  const findings = [
    ...findRate(calls, failed),
    ...findFailure(calls),
    ...findSuccess(calls),
    ...alerts.map(({ kind, text }) => ({ kind, text: `Nudge to the agent: ${text}` })),
  ];
  const healthy =
    seen < LEAST_MESSAGES
      ? "Too little activity to see a pattern."
      : total === 0
        ? "No tool calls to look at."
        : `The tool calls look healthy: ${total - failed} of ${total} succeeded.`;
  const text = findings.length === 0 ? healthy : [...findings.map((found) => `- ${found.text}`), "", ALERT].join("\n");
  return { findings, alert: findings.length > 0, failed, total, text };
}

function findRate({ length }: Calls, failed: number): readonly Finding[] {
  if (failed <= length / 2) return [];
  const percent = Math.round((failed / length) * 100);
  const text = `High failure rate: ${failed} of ${length} tool calls failed (${percent} %).`;
  return [{ kind: "high_failure_rate", text }];
}

function findFailure(calls: Calls): readonly Finding[] {
  const again = calls.find((call, index) => call.failed && isSame(call, calls[index - 1]));
  if (again === undefined) return [];
  const times = calls.filter((call) => isSame(call, again)).length;
  const text =
    `The same command failed again: \`${labelOf(again.about)}\`, ` +
    `${times} times among the last ${calls.length} calls.`;
  return [{ kind: "repeated_failure", text }];
}

function findSuccess(calls: Calls): readonly Finding[] {
  const same = calls.find(
    (call, index) => !call.failed && isSame(call, calls[index - 1]) && isSame(call, calls[index - 2]),
  );
  if (same === undefined) return [];
  const text = `The same command was run three times in a row: \`${labelOf(same.about)}\`.`;
  return [{ kind: "repeated_success", text }];
}

function isSame(call: Calls[number], other: Calls[number] | undefined): boolean {
  return other?.about === call.about && other.failed === call.failed;
}
