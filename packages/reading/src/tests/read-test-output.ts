import type { TestMeaning } from "@phasekit/core";
import { defined } from "@phasekit/core/adapter";
import { plainText, withoutPrefixes } from "./plain-text.ts";
import { readPlainWords } from "./plain-words.ts";
import { isNeverStarted } from "../answers/never-started.ts";
import { ALIASES, CHECKS, RUNNERS } from "./runner-table.ts";
import { hasMark, readRunner, type Runner, type TestCounts } from "./runner.ts";
import { runnersIn } from "./runners-in.ts";
import { anyOf } from "../patterns.ts";

/** A finished test run or check. */
export interface TestRun {
  readonly output: string;
  /** The runner the command names, if it does. */
  readonly runner?: string | undefined;
  /**
   * Type checkers, linters and builds are read as checks: no test runner is looked for in their output.
   * @default "test"
   */
  readonly kind?: "test" | "check";
  /** The exit code, if it is known. */
  readonly exitCode?: number | undefined;
  /** True if the exit code is the runner's own: not behind a pipe or `|| true`. */
  readonly trusted: boolean;
  /** The host says that the call failed, without a code. */
  readonly failed?: boolean | undefined;
}

/** How it went, and where text and exit code disagree. */
export interface TestReading extends TestMeaning {
  /** The output says one thing and a trusted exit code another; the exit code was followed. */
  readonly conflict?: string;
}

/**
 * Reads how a test run went: counts and failing names from the runner's own words, the verdict from a trusted exit code
 * and, without one, from those words. "No tests ran" is never a pass; some passed and some failed is a failure.
 */
export function readTestOutput({
  output,
  runner,
  kind = "test",
  exitCode,
  trusted,
  failed = false,
}: TestRun): TestReading {
  const plain = plainText(output);
  const text = kind === "check" ? plain : withoutPrefixes(plain);
  const code = trusted ? (exitCode ?? (failed ? 1 : undefined)) : undefined;
  const found = kind === "check" ? firstOf(CHECKS, text) : findCounts(text, { runner, decided: code !== undefined });
  const counts = found?.counts;
  const said = verdictOf(counts);
  const spoke = (counts?.failed ?? 0) > 0 || (found?.name !== undefined && found.wraps !== true);
  const verdict = decide({ said, code, counts, text, spoke });
  const conflict = (said === "pass" && verdict === "fail") || (said === "fail" && verdict === "pass");
  const { passed, failed: failures, skipped, failing } = counts ?? {};
  return defined({
    verdict,
    runner: found?.name ?? runner,
    passed,
    failed: failures,
    skipped,
    failing: verdict === "fail" ? failing : undefined,
    trusted: code !== undefined,
    conflict: conflict ? `The output says ${said}, the exit code is ${String(exitCode ?? "an error")}.` : undefined,
  });
}

function decide({
  said,
  code,
  counts,
  text,
  spoke,
}: {
  /** True if a runner itself speaks or tests are counted, and not only words around it. */
  readonly spoke: boolean;
  readonly said: TestMeaning["verdict"];
  readonly code: number | undefined;
  readonly counts: TestCounts | undefined;
  readonly text: string;
}): TestMeaning["verdict"] {
  if (counts?.none === true) return "unknown";
  if (code === 0) return "pass";
  // The runner was never reached or was stopped from outside, so this is not the result of a test.
  if (said !== "pass" && !(spoke && said === "fail") && isNeverStarted(text, code)) return "unknown";
  return code === undefined ? said : "fail";
}

function verdictOf(counts: TestCounts | undefined): TestMeaning["verdict"] {
  if (counts === undefined || counts.none === true) return "unknown";
  if (counts.broken === true || (counts.failed ?? 0) > 0) return "fail";
  if (counts.partial === true) return "unknown";
  return counts.all === true || (counts.passed ?? 0) > 0 ? "pass" : "unknown";
}

interface RunnerCounts {
  /** `undefined` if no known runner wrote it. */
  readonly name: string | undefined;
  readonly counts: TestCounts;
  readonly wraps?: true | undefined;
}

function firstOf(runners: readonly Runner[], text: string): RunnerCounts | undefined {
  for (const runner of runners) {
    const counts = hasMark(runner, text) ? readRunner(runner, text) : undefined;
    if (counts !== undefined) return { name: runner.name, counts };
  }
  return undefined;
}

/**
 * The counts in the output: the runner the command names, else whichever has something to say, and what the others have
 * against it.
 */
function findCounts(
  text: string,
  { runner, decided }: { readonly runner: string | undefined; readonly decided: boolean },
): RunnerCounts | undefined {
  if (text === "") return undefined;
  const name = runner === undefined ? undefined : (ALIASES[runner] ?? runner);
  const check = CHECKS.find((known) => known.name === name);
  if (check !== undefined) return firstOf([check], text);
  const own = RUNNERS.find((known) => known.name === name && known.wraps !== true);
  const counts = own === undefined || !hasMark(own, text) ? undefined : readRunner(own, text);
  const first: readonly RunnerCounts[] = counts === undefined ? [] : [{ name: own?.name, counts }];
  // When an exit code decides it is clear whose numbers these are.
  if (first.length > 0 && (decided || isSettled(first, text))) return first[0];
  // Each is read once, however often it is met.
  const readings = new Map<Runner, RunnerCounts | undefined>(own === undefined ? [] : [[own, undefined]]);
  // A summary is at the end, and what kept a run from starting at the beginning; only what is not clear from them
  // is read as a whole.
  const edges = text.length > 2 * EDGE ? text.slice(0, EDGE) + text.slice(-EDGE) : text;
  let all = readAll(runnersIn(edges), { first, text, readings });
  if (!decided && edges !== text && !isSettled(all, text)) all = readAll(runnersIn(text), { first, text, readings });
  return all.length === 0 ? fromPlainWords(text) : combine(all);
}

const EDGE = 2048;

function readAll(
  runners: readonly Runner[],
  {
    first,
    text,
    readings,
  }: {
    readonly first: readonly RunnerCounts[];
    readonly text: string;
    readonly readings: Map<Runner, RunnerCounts | undefined>;
  },
): readonly RunnerCounts[] {
  const all = [...first];
  for (const runner of runners) {
    if (!readings.has(runner)) readings.set(runner, foundBy(runner, text));
    const found = readings.get(runner);
    if (found === undefined) continue;
    all.push(found);
    if (isSettled(all, text)) break;
  }
  return all;
}

function foundBy(runner: Runner, text: string): RunnerCounts | undefined {
  const counts = readRunner(runner, text);
  return counts === undefined ? undefined : { name: runner.name, counts, wraps: runner.wraps };
}

/** True if nothing that is still to be found can change the verdict or add names. */
function isSettled(all: readonly RunnerCounts[], text: string): boolean {
  return all.some(({ counts }) =>
    verdictOf(counts) === "fail"
      ? counts.failing !== undefined
      : verdictOf(counts) === "pass" && !(MAY_SAY_FAILED.test(text) && SAYS_FAILED.test(text)),
  );
}

/** Every match of `SAYS_FAILED` has one of these. Short beginnings without more behind them are found fast. */
const MAY_SAY_FAILED = /fail|error|excep|not ok|[✗✖✘×]/i;

/** Without one of these no runner in an output says that it failed. */
const SAYS_FAILED = anyOf(
  "im",
  /[1-9]\d* (?:\w+ )?(?:fail|error|exception)/,
  /(?:fail\w*|errors?) *[:=] *[1-9]/,
  /^ *fail/,
  /(?<!\b0 )\bfail(?:ed|ure)\b/,
  /not ok/,
  /[✗✖✘×] /,
);

function fromPlainWords(text: string): RunnerCounts | undefined {
  const counts = readPlainWords(text);
  return counts === undefined ? undefined : { name: undefined, counts };
}

/** Of several runners in one output the first that tells something is taken; that one of them failed is never lost. */
function combine(all: readonly RunnerCounts[]): RunnerCounts | undefined {
  const main = all.find(({ counts }) => verdictOf(counts) !== "unknown") ?? all[0];
  if (main === undefined) return undefined;
  const { name, counts, wraps } = main;
  const failing = counts.failing ?? all.find((other) => other.counts.failing !== undefined)?.counts.failing;
  const failed =
    verdictOf(counts) === "fail" ||
    all.some((other) => (other.counts.failed ?? 0) > 0) ||
    (counts.none !== true && all.some((other) => other.wraps === true && other.counts.broken === true));
  if (failed) return { name, wraps, counts: { ...counts, ...(failing !== undefined && { failing }), broken: true } };
  // A failure without numbers may be a word in the output of the other: neither is sure.
  return all.some((other) => other.counts.broken === true)
    ? { name, wraps, counts: { ...counts, partial: true } }
    : main;
}
