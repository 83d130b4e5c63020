import { alert, type Policy } from "@phasekit/core";
import { setBounded } from "../bounded.ts";
import { callDetector, type DetectorState } from "../call-detector.ts";
import { labelOf } from "../fingerprint.ts";
import { errorOf, firstWords, outputText, tellingLine } from "../result-text.ts";
import { type CallOptions, isAskingName } from "../tool-rules.ts";

/** Options of `failingTool`. */
export interface FailingToolOptions extends CallOptions {
  /** Failures of one tool with the same error, whatever its arguments. @default 3 */
  readonly sameError?: number;
  /** The same for tools that only look, where a guessed path may be wrong, and for tries after a wait. @default 5 */
  readonly looks?: number;
  /** The same while only a number in the call changes, as in a search for a limit. @default 6 */
  readonly sweep?: number;
  /** Failures of one tool with any error, without a success. @default 5 */
  readonly anyError?: number;
  /** Failures in a row over all tools. @default 5 */
  readonly inARow?: number;
}

interface Streak {
  readonly count: number;
  readonly same: number;
  readonly error: string;
  readonly turn: number;
  /** Some of them were tests, builds or linters. */
  readonly checks: boolean;
}

interface FailingToolState extends DetectorState {
  readonly streaks: Map<string, Streak>;
  inARow: number;
  tool: string;
  words: string;
  unknown: boolean;
  fingerprint: string;
  distinct: boolean;
  looks: boolean;
  /** Only numbers differ from the call before: something is being measured out. */
  sweeps: boolean;
}

const MAX_TOOLS = 32;
/** What one of many things may well be. */
const GONE = /\b(?:not found|already|gone|no longer|duplicate)\b/i;
const UNKNOWN_TOOL = /\b(?:unknown|no such|not a valid|invalid) (?:tool|function)\b|\btool\b.{0,60}\b(?:not found|does not exist|is not available|unavailable)\b/i;

/**
 * Notices a tool that fails whatever it is asked, also one that does not exist.
 *
 * Fires: a search that answers "401" to every wording; five failing commands without one success between them.
 * Silent: red tests, failures after a change that landed, a tool that works now and then.
 * Seen: tau-bench/gpt-4o-airline.slice, run 0, calls 14–18: four bookings refused for the same reason; crush issue 2856.
 */
export function failingTool({ sameError = 3, looks = 5, sweep = 6, anyError = 5, inARow = 5, tools }: FailingToolOptions = {}): Policy {
  return callDetector<FailingToolState>({
    name: "failing-tool",
    tools,
    initial: () => ({ idle: true, streaks: new Map(), inARow: 0, tool: "", words: "", unknown: false, fingerprint: "", distinct: false, looks: false, sweeps: false }),
    onCall: (state, call, { event }) => {
      state.tool = "";
      if (!call.failed) {
        if (!call.waits) state.inARow = 0;
        if (call.landed) state.streaks.clear();
        else state.streaks.delete(call.tool);
        state.idle = state.inARow === 0 && state.streaks.size === 0;
        return;
      }
      state.idle = false;
      if (call.polls && call.moved === true) return;
      const before = state.streaks.get(call.tool);
      // The same call failing again is another detector's business.
      state.distinct = state.distinct || (before !== undefined && state.fingerprint !== call.fingerprint);
      if (before === undefined) state.distinct = false;
      if (before !== undefined && before.turn === call.turn) return;
      const error = (call.checks ? tellingLine(outputText(event.output)) : undefined) ?? errorOf(event);
      // What grows by one part for each new error is getting somewhere.
      const grows = before !== undefined && before.error !== error && isExtended(call.tool, state.fingerprint, call.fingerprint);
      // Red tests are a result; only that they fail in one way whatever is run says something.
      const counted = call.checks ? 0 : 1;
      const checks = call.checks || before?.checks === true;
      state.inARow = grows ? counted : state.inARow + counted;
      const same = before?.error === error ? before.same + 1 : 1;
      setBounded(state.streaks, [call.tool, { count: grows ? counted : (before?.count ?? 0) + counted, same, error, turn: call.turn, checks }], MAX_TOOLS);
      state.tool = call.tool;
      state.words = firstWords(event);
      state.unknown = UNKNOWN_TOOL.test(state.words);
      state.sweeps = before !== undefined && differInNumbers(labelOf(state.fingerprint), labelOf(call.fingerprint));
      state.fingerprint = call.fingerprint;
      state.looks = checks || call.looks || (event.meaning.activity !== "edit" && GONE.test(state.words)) || call.spaced || isAskingName(call.tool) || /(?:^|[_.-])open/i.test(call.tool);
    },
    report: ({ streaks, inARow: row, tool, words, unknown, distinct, looks: looking, sweeps }) => {
      const streak = tool === "" ? undefined : streaks.get(tool);
      if (streak === undefined) return undefined;
      const evidence = { tool, error: words };
      const limit = sweeps ? sweep : looking ? looks : sameError;
      if (distinct && (streak.same >= limit || streak.count >= anyError)) {
        const count = streak.same >= limit ? streak.same : streak.count;
        return alert({ kind: unknown ? "unknown-tool" : "failing-tool", signature: tool, count, evidence });
      }
      return row >= inARow && distinct ? alert({ kind: "failures-in-a-row", signature: "*", count: row, severity: "notice", evidence }) : undefined;
    },
  });
}

const LONG = 8;

/** Whether a call is the one before with something added to its end. */
function isExtended(tool: string, before: string, after: string): boolean {
  const short = labelOf(before);
  const long = labelOf(after);
  if (before === after || short.length < tool.length + LONG) return false;
  return short.endsWith("…") ? short === long : long.length > short.length && long.startsWith(short);
}

function differInNumbers(before: string, after: string): boolean {
  return before !== after && before.replace(/\d+/g, "") === after.replace(/\d+/g, "");
}
