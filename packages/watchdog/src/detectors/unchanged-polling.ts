import { alert, type Policy } from "@phasekit/core";
import { callDetector, type DetectorState } from "../call-detector.ts";
import { firstWords, outputText } from "../result-text.ts";
import type { CallOptions } from "../tool-rules.ts";

/** Options of `unchangedPolling`. */
export interface UnchangedPollingOptions extends CallOptions {
  /** Unchanged answers in a row, however fast. @default 5 */
  readonly times?: number;
  /** The same of who waits before asking again. @default 7 */
  readonly patientTimes?: number;
  /** The same of who is told each time for how long it has been going on. @default 10 */
  readonly lastingTimes?: number;
  /** Unchanged answers in a row once `afterMs` have passed. @default 4 */
  readonly slowTimes?: number;
  /** @default 60000 */
  readonly afterMs?: number;
  /** Pure waiting in a row. @default 8 */
  readonly waits?: number;
}

interface UnchangedPollingState extends DetectorState {
  fingerprint: string;
  count: number;
  since: number;
  at: number;
  turn: number;
  limit: number;
  waits: number;
  waiting: string;
  tool: string;
  words: string;
}

/**
 * Notices asking "are we there yet?" without anything moving. Polling has a tier of its own: it is never refused, and
 * the advice is one blocking wait.
 *
 * Fires: a job asked five times, "still running" each time; a log that only grows by heartbeats.
 * Silent: answers that move, other work in between, a few waits.
 * Seen: clawcodex pull request 759, a job polled while its log did not grow.
 */
export function unchangedPolling({ times = 5, patientTimes = 7, lastingTimes = 10, slowTimes = 4, afterMs = 60_000, waits = 8, tools }: UnchangedPollingOptions = {}): Policy {
  return callDetector<UnchangedPollingState>({
    name: "unchanged-polling",
    tools,
    initial: () => ({ idle: true, fingerprint: "", count: 0, since: 0, at: 0, turn: -1, limit: times, waits: 0, waiting: "", tool: "", words: "" }),
    onCall: (state, call, { event, before, waited, asked }) => {
      if (call.waits) {
        // A wait that tells something new each time is news, however often it is asked for.
        state.waits = call.moved === true ? 1 : state.waits + 1;
        state.waiting = call.fingerprint;
        state.idle = false;
        return;
      }
      state.waits = 0;
      // Who waits and asks the same again is polling, whatever the call is called.
      const again = before?.fingerprint === call.fingerprint;
      const paced = waited || call.spaced;
      state.idle = !(call.underWay || (paced && again));
      if (state.idle) {
        state.count = 0;
        state.fingerprint = "";
        return;
      }
      const same = call.fingerprint === state.fingerprint;
      if (same && call.turn === state.turn) return;
      state.turn = call.turn;
      state.at = call.at;
      const limit = call.moved === false && LASTING.test(outputText(event.output).slice(-LAST_WORDS)) ? lastingTimes : paced ? patientTimes : times;
      state.limit = Math.max(limit, asked.again);
      if (same && call.moved === false) state.count += 1;
      else {
        // That something is under way shows at the second answer only.
        state.count = !call.polls && again && call.moved === false ? 2 : 1;
        state.since = call.at;
        state.fingerprint = call.fingerprint;
      }
      state.tool = call.tool;
      if (state.count >= slowTimes) state.words = firstWords(event);
    },
    report: ({ fingerprint, count, since, at, limit, waits: waited, waiting, tool, words }) => {
      if (waited >= waits) return alert({ kind: "waiting", signature: waiting, count: waited, severity: "notice", evidence: { tool: "", result: "" } });
      if (count < (limit === times && at - since >= afterMs ? slowTimes : limit)) return undefined;
      return alert({
        kind: "unchanged-polling",
        signature: fingerprint,
        count,
        severity: count < 10 ? "notice" : "warning",
        evidence: { tool, result: words, forMs: at - since },
      });
    },
  });
}

const LAST_WORDS = 400;
/** An answer that says for how long something has been going on. */
const LASTING = /\b(?:elapsed|still \w+ing)\b/i;
