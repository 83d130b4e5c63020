import type { OpenAlert } from "@phasekit/core";
import type { ActivityLog, LoggedCall } from "./activity-log.ts";
import { familyOf, nudgeText } from "./nudge-texts.ts";

/** What the numbers say about the recent calls. */
export interface PatternAnalysis {
  readonly findings: readonly { readonly kind: string; readonly text: string }[];
  readonly alert: boolean;
  readonly failed: number;
  readonly total: number;
  /** The same for people, one line each. */
  readonly text: string;
}

const LEAST_MESSAGES = 3;

/**
 * Looks at the recent calls with measures that fit every platform: how many failed, whether one failed twice in a row,
 * whether one succeeded three times in a row. Open alerts are findings too. Each kind of finding is reported once.
 */
export function analyzePattern({ calls, seen }: Pick<ActivityLog, "calls" | "seen">, alerts: Iterable<OpenAlert> = []): PatternAnalysis {
  const total = calls.length;
  const failed = calls.filter((call) => call.failed).length;
  const open = [...alerts].filter(({ kind }) => familyOf(kind) !== "outside");
  const findings = [...findingsOf(calls, failed), ...alertFindings(open)];
  return { findings, alert: findings.length > 0, failed, total, text: renderAnalysis() };

  function renderAnalysis(): string {
    if (findings.length > 0) {
      const lines = findings.map(({ text }) => `- ${text}`);
      return [...lines, "", "**ALERT**: this is not going to resolve itself. Ask for changes and say which, or abandon the work; do not just approve."].join("\n");
    }
    if (seen < LEAST_MESSAGES) return "Too little activity to see a pattern.";
    if (total === 0) return "No tool calls to look at.";
    return `The tool calls look healthy: ${String(total - failed)} of ${String(total)} succeeded.`;
  }
}

function findingsOf(calls: readonly LoggedCall[], failed: number): readonly { readonly kind: string; readonly text: string }[] {
  const findings: { kind: string; text: string }[] = [];
  if (failed > calls.length / 2) {
    findings.push({ kind: "high_failure_rate", text: `High failure rate: ${String(failed)} of ${String(calls.length)} tool calls failed (${String(Math.round((failed / calls.length) * 100))} %).` });
  }
  const again = calls.find((call, index) => call.failed && calls[index - 1]?.failed === true && calls[index - 1]?.fingerprint === call.fingerprint);
  if (again !== undefined) {
    const times = calls.filter((call) => call.failed && call.fingerprint === again.fingerprint).length;
    findings.push({ kind: "repeated_failure", text: `The same command failed again: \`${again.label}\`, ${String(times)} times among the last ${String(calls.length)} calls.` });
  }
  const same = calls.find((call, index) => !call.failed && [1, 2].every((back) => calls[index - back]?.fingerprint === call.fingerprint && calls[index - back]?.failed === false));
  if (same !== undefined) findings.push({ kind: "repeated_success", text: `The same command was run three times in a row: \`${same.label}\`.` });
  return findings;
}

function alertFindings(alerts: readonly OpenAlert[]): readonly { readonly kind: string; readonly text: string }[] {
  const kinds = new Set<string>();
  return alerts.flatMap((alert) => {
    const text = nudgeText(alert, alert.count);
    if (text === undefined || kinds.has(alert.kind)) return [];
    kinds.add(alert.kind);
    return [{ kind: alert.kind, text: `Told the agent, or about to: ${text}` }];
  });
}
