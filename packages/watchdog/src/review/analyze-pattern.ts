import { labelOf } from "@phasekit/core/account";
import { assertNumbers, isObject, normalizeJson } from "@phasekit/core/adapter";
import type { Finding } from "../alert-text.ts";

/** A call as the analysis sees it. */
export interface PatternCall {
  readonly tool: string;
  /** Its arguments: a text, or any object. Their order does not matter. */
  readonly input?: unknown;
  readonly failed: boolean;
  /** The identity of the call, if a reader found one, such as `meaning.about`. @default the tool and its input */
  readonly about?: string;
}

/** Options for `analyzePattern()`. All optional. */
export interface AnalyzePatternOptions {
  /** Calls that are looked at, the newest. @default 20 */
  readonly window?: number;
  /** Alerts that are open, in words. They are findings too. @default none */
  readonly alerts?: readonly Finding[];
  /** Messages in all; fewer than three are too few to see a pattern. @default two for each call */
  readonly messages?: number;
}

/** The numbers about the recent calls, for a reviewer. */
export interface PatternAnalysis {
  readonly findings: readonly Finding[];
  readonly alert: boolean;
  readonly failed: number;
  readonly total: number;
  /** The same for people, one line each. */
  readonly text: string;
}

/** A call with its identity. */
interface KnownCall {
  readonly about: string;
  readonly failed: boolean;
}
type Calls = readonly KnownCall[];

/** Calls a review looks at unless it is said otherwise. */
export const WINDOW = 20;
const LEAST_MESSAGES = 3;
const MAX_LABEL = 80;
const ALERT =
  "**ALERT**: this is not going to resolve itself. Ask for changes and say which, or abandon the work; " +
  "do not just approve.";

/**
 * Analyzes calls with measures that fit every platform: whether more than half failed, whether one failed twice in a
 * row, whether one succeeded three times in a row. Each kind of finding is reported once.
 *
 * @example
 * const { alert, text } = analyzePattern([
 *   { tool: "shell", input: { command: "git fetch" }, failed: true },
 *   { tool: "shell", input: { command: "git fetch" }, failed: true },
 * ]);
 * @throws INVALID_OPTION if `window` is not a number of at least 1.
 */
export function analyzePattern(
  given: readonly PatternCall[],
  { window = WINDOW, alerts = [], messages = 2 * given.length }: AnalyzePatternOptions = {},
): PatternAnalysis {
  assertNumbers({ window }, { atLeast: 1 });
  const calls = given.slice(-window).map((call) => ({ about: call.about ?? nameOf(call), failed: call.failed }));
  const total = calls.length;
  const failed = calls.filter((call) => call.failed).length;
  const findings = [
    ...findRate(calls, failed),
    ...findFailure(calls),
    ...findSuccess(calls),
    ...alerts.map(({ kind, text }) => ({ kind, text: `Nudge to the agent: ${text}` })),
  ];
  const healthy =
    messages < LEAST_MESSAGES
      ? "Too little activity to see a pattern."
      : total === 0
        ? "No tool calls to look at."
        : `The tool calls look healthy: ${total - failed} of ${total} succeeded.`;
  const text = findings.length === 0 ? healthy : [...findings.map((found) => `- ${found.text}`), "", ALERT].join("\n");
  return { findings, alert: findings.length > 0, failed, total, text };
}

/** The identity of a plain call, readable for people: its only text, or all of its input. */
function nameOf({ tool, input }: PatternCall): string {
  const { value } = normalizeJson(input ?? "");
  const texts = isObject(value) ? Object.values(value) : [value];
  const [only] = texts;
  const text = texts.length === 1 && typeof only === "string" ? only : JSON.stringify(value, sortMembers);
  const label = text.length > MAX_LABEL ? `${text.slice(0, MAX_LABEL - 1)}…` : text;
  return `${tool} ${label} #${text}`;
}

function sortMembers(_name: string, value: unknown): unknown {
  return isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
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

function isSame(call: KnownCall, other: KnownCall | undefined): boolean {
  return other?.about === call.about && other.failed === call.failed;
}
