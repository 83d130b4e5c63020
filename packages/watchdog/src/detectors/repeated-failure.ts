import { alert, type Policy } from "@phasekit/core";
import { setBounded } from "../bounded.ts";
import type { Call } from "../call.ts";
import { callDetector, type DetectorState } from "../call-detector.ts";
import { labelOf } from "../fingerprint.ts";
import { mayPass } from "../passing-error.ts";
import { errorOf, firstWords, outputText } from "../result-text.ts";
import { goesOn, shareOf } from "../share-done.ts";
import type { CallOptions } from "../tool-rules.ts";

/** Options of `repeatedFailure`. */
export interface RepeatedFailureOptions extends CallOptions {
  /** Failures of one call with the same error. @default 2 */
  readonly times?: number;
  /** The same of tests, which may be flaky, of calls that were put wrongly, and of failures without a word. @default 3 */
  readonly retries?: number;
  /** The same where it may well pass by itself: time-outs, busy servers, services that are starting. @default 4 */
  readonly passing?: number;
  /** The same when the agent waited between the tries, or did something that had not helped before. @default 6 */
  readonly spaced?: number;
  /** Failures of one call whose errors differ. @default 5 */
  readonly otherErrors?: number;
}

interface Failing {
  readonly error: string;
  /** With this error, and in all. */
  readonly count: number;
  readonly all: number;
  readonly turn: number;
  /** How far the failure says that it came. */
  readonly done: number | undefined;
  /** The errors it has failed with, the last few of them. */
  readonly seen: readonly string[];
}

interface RepeatedFailureState extends DetectorState {
  readonly failing: Map<string, Failing>;
  /** The call that failed last, when that was the newest call. */
  current: string;
  /** How many times are one too many. */
  limit: number;
  /** How many were asked for. */
  again: number;
  spaced: boolean;
  /** All that was done about it is what had been done about it before. */
  redone: boolean;
  tool: string;
  words: string;
}

const MAX_CALLS = 32;
const MAX_SEEN = 6;
/** A call that was put wrongly; the next one mostly is not. */
const USAGE = /\bparam\w* .{0,40}\brequired\b|\b(?:required|missing|invalid|unexpected) (?:\w+ )?(?:param|arg|field|propert|input)|\bschema\b|validation/i;

/**
 * Notices one call failing in the same way again.
 *
 * Fires: `git fetch` failing twice with the same error, also when the shell reports its exit code as plain data; a
 * server that is busy for the fourth time; an installation that fails for the sixth time after one lock was removed again
 * and again.
 * Silent: a failure followed by other commands, a success in between, a change that landed since and is not the same as
 * before (it is a new try).
 * Seen: openhands-llm-request/gpt-4o-2024-08-06__django__django-11964, calls 19–25: one rejected edit, seven times.
 */
export function repeatedFailure({ times = 2, retries = 3, passing = 4, spaced: spacedTimes = 6, otherErrors = 5, tools }: RepeatedFailureOptions = {}): Policy {
  return callDetector<RepeatedFailureState>({
    name: "repeated-failure",
    tools,
    initial: () => ({ idle: true, failing: new Map(), current: "", limit: times, again: 0, spaced: false, redone: false, tool: "", words: "" }),
    onCall: (state, call, { event, waited, asked }) => {
      state.idle = !call.failed;
      if (!call.failed) {
        state.current = "";
        if (call.waits) state.spaced = true;
        if (state.failing.size === 0) return;
        if (call.landed) startAnew(state, call);
        else state.failing.delete(call.fingerprint);
        return;
      }
      const before = state.failing.get(call.fingerprint);
      if (before !== undefined && before.turn === call.turn) return;
      const error = errorOf(event);
      if (call.polls && call.moved === true) {
        // What moves is on its way.
        state.failing.delete(call.fingerprint);
        state.current = "";
        return;
      }
      const done = shareOf(outputText(event.output));
      const same = before !== undefined && before.error === error && (done === undefined || done === before.done) && !(call.moved === true && goesOn(labelOf(call.fingerprint)));
      const seen = before?.seen ?? [];
      const isNew = !seen.includes(error);
      // A test that fails in a new way has got further, and so has what says how far it came.
      const further = (isNew && call.checks) || goesOn(labelOf(call.fingerprint));
      const all = further ? 1 : (before?.all ?? 0) + (done !== undefined && done !== before?.done ? 0 : 1);
      setBounded(state.failing, [call.fingerprint, { error, count: same ? before.count + 1 : 1, all, turn: call.turn, done, seen: isNew ? [...seen, error].slice(-MAX_SEEN) : seen }], MAX_CALLS);
      if (!same) {
        state.spaced = waited;
        state.redone = false;
      }
      if (call.spaced) state.spaced = true;
      state.current = call.fingerprint;
      const limit = state.spaced || state.redone ? spacedTimes : call.checks || error === "" || USAGE.test(error) ? retries : mayPass(error) ? passing : times;
      state.again = asked.failing;
      state.limit = Math.max(limit, asked.failing);
      state.tool = call.tool;
      state.words = firstWords(event);
    },
    report: ({ failing, current, limit, again, spaced, tool, words }) => {
      const found = current === "" ? undefined : failing.get(current);
      if (found === undefined) return undefined;
      const { count, all } = found;
      // Who waits between the tries sees one state after the other.
      if (count < limit && all < Math.max(spaced ? otherErrors * 3 : otherErrors, again)) return undefined;
      const repeats = count >= limit ? count : all;
      return alert({
        kind: "repeated-failure",
        signature: current,
        subject: current,
        count: repeats,
        // Waiting between the tries is what a careful retry looks like: worth a word, nothing more.
        ...(spaced && repeats < 8 && { severity: "notice" as const }),
        evidence: { tool, error: words, spaced },
      });
    },
  });
}

/** A change makes every failure a new try; one that had been made before does so only for what may pass by itself. */
function startAnew(state: RepeatedFailureState, { moved }: Call): void {
  state.redone = moved === false;
  for (const [call, { error }] of state.failing) if (!state.redone || mayPass(error)) state.failing.delete(call);
}
