import { alert, type EventOf, type Policy } from "@phasekit/core";
import { type Call, isBisecting } from "../call.ts";
import { callDetector, type DetectorState } from "../call-detector.ts";
import { labelOf } from "../fingerprint.ts";
import { withoutPlaces } from "../normalize-result.ts";
import { errorOf, outputText, tellingLine } from "../result-text.ts";
import { shareOf } from "../share-done.ts";
import type { CallOptions } from "../tool-rules.ts";

/** Options of `redTestLoop`. */
export interface RedTestLoopOptions extends CallOptions {
  /** Test runs with the same failing tests, each after an edit. @default 4 */
  readonly times?: number;
  /** The same when they fail in another way each time. @default 8 */
  readonly otherWays?: number;
  /** The same when only their number is known and the rest of the output differs: they may be other tests. @default 12 */
  readonly counts?: number;
}

interface RedTestLoopState extends DetectorState {
  /** The failing set of the last run; empty when nothing failed or nobody can tell. */
  failing: string;
  count: number;
  /** What the last run printed, without places and numbers. */
  text: string;
  /** Runs that printed something else than the one before. */
  different: number;
  /** The failing tests are known by name. */
  named: boolean;
  /** How many runs are one too many. */
  limit: number;
  /** Something was changed since the last run, and a file was. */
  changed: boolean;
  edited: boolean;
  edits: number;
}

/**
 * Notices edits that change nothing about what fails. An edit makes the next run a new experiment; here it is the
 * outcome that does not move.
 *
 * Fires: four test runs with the same failing tests and an edit before each; a build that fails in the same words.
 * Silent: a shrinking or changing set, runs without an edit between (another detector's), outputs without names or counts.
 * Seen: jiuwenswarm issue 3560: small patches and one failing assertion, fifteen to twenty times, until the budget is gone.
 */
export function redTestLoop({ times = 4, otherWays = 8, counts = 12, tools }: RedTestLoopOptions = {}): Policy {
  return callDetector<RedTestLoopState>({
    name: "red-test-loop",
    tools,
    initial: () => ({ idle: true, failing: "", count: 0, text: "", different: 0, named: true, limit: times, changed: false, edited: false, edits: 0 }),
    onCall: (state, call, { event }) => {
      // In a bisection every run is about another revision.
      if (isBisecting(call)) state.failing = "";
      if (call.landed) {
        state.changed = true;
        state.edited ||= event.meaning.activity === "edit";
        state.edits += 1;
      }
      const found = (call.checks || event.meaning.tests !== undefined ? failingTests(event) : undefined) ?? failingRun(call, event);
      if (found === undefined) return;
      const { failing, named, afterEdits = false, line } = found;
      // What a run printed tells more than its error: a probe may show other numbers. Where it stands tells nothing.
      const text = line ?? (afterEdits ? withoutPlaces(outputText(event.output)) : errorOf(event));
      state.named = named;
      state.limit = line === undefined || line === errorOf(event) ? times : times + 2;
      if (failing === "" || failing !== state.failing) {
        state.count = failing === "" ? 0 : 1;
        state.edits = 0;
        state.different = 0;
      } else if (afterEdits ? state.edited : state.changed) {
        state.count += 1;
        if (text !== state.text) state.different += 1;
      }
      state.text = text;
      state.failing = failing;
      state.changed = false;
      state.edited = false;
      state.idle = state.count < times;
    },
    report: ({ failing, count, limit, different, named, edits }) =>
      count >= (named ? (different * 2 < count ? limit : otherWays) : different === 0 ? times : counts) ? alert({ kind: "red-test-loop", signature: failing.slice(0, 120), count, evidence: { failing: failing.slice(0, 300), edits } }) : undefined,
  });
}

/** What fails, and how it is known. */
interface Failing {
  readonly failing: string;
  /** By name, not by number alone. */
  readonly named: boolean;
  /** Only files that were edited make another run a new experiment. */
  readonly afterEdits?: boolean;
  /** The line that says what is wrong. */
  readonly line?: string;
}

/** A command that fails with an error that says something, such as a build nobody knows to be one. */
function failingRun({ fingerprint, failed, checks, changes, acts }: Call, event: EventOf<"tool.finished">): Failing | undefined {
  if (!failed || !(checks || (changes && !acts))) return undefined;
  const error = errorOf(event);
  // Fewer errors in the same words are progress, and so is a step further.
  const text = outputText(event.output);
  const count = countOf(ERRORS, text) ?? 0;
  const done = shareOf(text);
  const line = tellingLine(text);
  const far = `${count === 0 ? "" : `${String(count)} errors: `}${done === undefined ? "" : `${String(done)} done: `}`;
  return error.length < TELLING ? undefined : { failing: `${labelOf(fingerprint)}: ${far}${line ?? error}`, named: true, afterEdits: true, ...(line !== undefined && { line }) };
}

const TELLING = 30;
const ERRORS = /(\d+) (?:previous |compile |type )?(?:errors?|problems?)\b/i;

/** The tests that fail, by name where there are names; none when all passed, `undefined` when nobody can tell. */
function failingTests({ meaning, output }: EventOf<"tool.finished">): Failing | undefined {
  const { tests } = meaning;
  if (tests?.verdict === "pass") return PASSED;
  const text = outputText(output);
  const names = tests?.failing ?? [...listedTests(output), ...Array.from(text.matchAll(NAMES), ([, name, method]) => name ?? method ?? "")];
  // What comes after the name of a test is how it failed.
  if (names.length > 0) return { failing: [...new Set(names.map((name) => name.replace(/(::\S+) - .*$/s, "$1")))].toSorted().join(", "), named: true };
  // Of several counts the one of single tests tells most.
  const summary = /^ *Tests?: .*$/m.exec(text)?.[0] ?? text;
  const failed = tests === undefined ? countOf(FAILED, summary) : tests.failed;
  const passed = tests === undefined ? countOf(GREEN, summary) : tests.passed;
  if (failed === undefined) return tests === undefined && passed !== undefined ? PASSED : undefined;
  return failed === 0 ? PASSED : { failing: passed === undefined ? `${String(failed)} failed` : `${String(failed)} failed, ${String(passed)} passed`, named: false };
}

/** The failing tests a result lists as data. */
function listedTests(output: unknown): readonly string[] {
  if (typeof output !== "object" || output === null) return [];
  const { failed, failing, failures } = output as Readonly<Record<string, unknown>>;
  const list = [failed, failing, failures].find(Array.isArray) ?? [];
  return list.map((test: unknown) => (typeof test === "string" ? test : JSON.stringify(test)));
}

const PASSED = { failing: "", named: true };
const NAMES = /^(?:FAILED|--- FAIL:|FAIL|not ok \d+ -|✗|✕|×) +(\S+)|^(?:\[ERROR\] )?([\w$.]+\.[\w$]+(?:\(\))?)[^\n]*<<< (?:ERROR|FAILURE)!/gm;
const FAILED = /(\d+) (?:tests? )?(?:failed|failing|failures?)\b|\b(?:failures?: (?!0, errors: [1-9])|errors: (?=[1-9]))(\d+)/i;
const GREEN = /(\d+) (?:tests? )?(?:passed|passing)\b/i;

function countOf(pattern: RegExp, text: string): number | undefined {
  const found = pattern.exec(text);
  return found === null ? undefined : Number(found[1] ?? found[2]);
}
