import { alert, type Policy } from "@phasekit/core";
import type { Call } from "../call.ts";
import { callDetector, type DetectorState } from "../call-detector.ts";
import { labelOf } from "../fingerprint.ts";
import { outputText } from "../result-text.ts";
import type { CallOptions } from "../tool-rules.ts";

/** Options of `callCycle`. */
export interface CallCycleOptions extends CallOptions {
  /** The longest cycle, in calls. @default 12 */
  readonly longest?: number;
  /** Rounds with unchanged results. @default 3 */
  readonly rounds?: number;
  /** Rounds when something is changed in each of them. @default 12 */
  readonly changingRounds?: number;
}

interface CallCycleState extends DetectorState {
  /** The calls of one round; none when there is no cycle. */
  round: readonly string[];
  rounds: number;
}

/**
 * Notices a few calls taking turns while none of their results moves.
 *
 * Fires: read, rejected edit, red test, three rounds of the same; a few calls in any order, when nine of the last twelve
 * brought nothing new.
 * Silent: the same order with other arguments, results that move, rounds in which a change lands (up to a cap) and no
 * look says that it did not.
 * Seen: openhands-llm-request/Qwen2.5-Coder-7B-Instruct__django__django-16485, calls 12–27: four calls in a circle.
 */
export function callCycle({ longest = 12, rounds = 3, changingRounds = 12, tools }: CallCycleOptions = {}): Policy {
  return callDetector<CallCycleState>({
    name: "call-cycle",
    tools,
    initial: () => ({ idle: true, round: NONE, rounds: 0 }),
    onCall: (state, { moved, failed, underWay, waits }, { event, recent, asked }) => {
      if (waits) return;
      state.round = NONE;
      state.idle = true;
      // A call that was never made before ends no round.
      if (moved === undefined) return;
      for (let period = 2; period <= longest; period += 1) {
        const found = countRounds(recent, period);
        if (found.rounds < Math.max(found.landed ? changingRounds : rounds, asked.again / 2)) continue;
        state.round = recent.slice(-period).map(({ fingerprint }) => fingerprint);
        state.rounds = found.rounds;
        state.idle = false;
        return;
      }
      if (asked.again > 0) return;
      // Numbers that go on while somebody says no are no news.
      const refused = moved && !failed && !underWay && REFUSED.test(outputText(event.output).slice(0, 400)) ? [2, 3].find((period) => countRounds(recent, period, "words").rounds >= rounds + 2) : undefined;
      if (refused !== undefined) {
        state.round = recent.slice(-refused).map(({ fingerprint }) => fingerprint);
        state.rounds = rounds + 2;
        state.idle = false;
        return;
      }
      const stale = recent.slice(-LATELY).filter(isStale);
      const distinct = [...new Set(stale.map(({ fingerprint }) => fingerprint))];
      if (stale.length < LATELY * MOSTLY || distinct.length < 2) return;
      state.round = distinct;
      state.rounds = Math.floor(stale.length / distinct.length) + 1;
      state.idle = false;
    },
    report: ({ round, rounds: found }) => {
      if (round.length === 0) return undefined;
      const evidence = { calls: round.map(labelOf), rounds: found };
      return alert({ kind: "call-cycle", signature: round.toSorted().join("\n"), subject: round[0] ?? "", count: found, evidence });
    },
  });
}

const NONE: readonly string[] = [];
const REFUSED = /\b(?:reject(?:ed|s|ing)?|declined|denied|refused|not (?:approved|accepted|mentioned|addressed|resolved|good enough)|changes requested)\b/i;
const LATELY = 12;
const MOSTLY = 0.75;

/** A call that was made before, and that brought and changed nothing this time. */
function isStale({ moved, landed, checks, polls }: Call): boolean {
  return moved === false && !landed && !checks && !polls;
}

/** How many rounds of this length the newest calls make, and whether anything was changed in them. */
function countRounds(steps: readonly Call[], period: number, answer: "answer" | "words" = "answer"): { readonly rounds: number; readonly landed: boolean } {
  const none = { rounds: 0, landed: false };
  const last = steps.length - 1;
  if (steps[last]?.fingerprint !== steps[last - period]?.fingerprint) return none;
  // One call over and over is no cycle.
  if (steps[last]?.fingerprint === steps[last - 1]?.fingerprint) return none;
  const stuck = steps.slice(-period).some(({ failed, passing, checks }) => failed && !passing && !checks);
  let matched = 0;
  let landed = false;
  let blank = false;
  for (let index = last; index - period >= 0; index -= 1) {
    const step = steps[index];
    const before = steps[index - period];
    if (step === undefined || step.fingerprint !== before?.fingerprint || (step.moved === true && step[answer] !== before[answer])) break;
    // The same change again, with what failed before failing again, has changed nothing either.
    landed ||= step.landed && step.changes && (step.moved !== false || !stuck);
    blank ||= !step.landed && !step.failed && !step.checks;
    matched += 1;
  }
  // A change after which something shows what it showed before has changed nothing.
  return { rounds: Math.floor(matched / period) + 1, landed: landed && !blank };
}
