import { alert, type Policy } from "@phasekit/core";
import { pushRoughly } from "../bounded.ts";
import { callDetector } from "../call-detector.ts";
import { labelOf } from "../fingerprint.ts";
import { type CallOptions, isCompaction } from "../tool-rules.ts";

/** Options of `callCycle`. */
export interface CallCycleOptions extends CallOptions {
  /** The longest cycle, in calls. @default 5 */
  readonly longest?: number;
  /** Rounds with unchanged results. @default 3 */
  readonly rounds?: number;
  /** Rounds when something is changed in each of them. @default 12 */
  readonly changingRounds?: number;
}

interface Step {
  readonly fingerprint: string;
  readonly turn: number;
  readonly moved: boolean;
  readonly landed: boolean;
}

interface CallCycleState {
  readonly steps: Step[];
  period: number;
  rounds: number;
}

const KEPT = 64;

/**
 * Notices a few calls taking turns while none of their results moves.
 *
 * Fires: read, rejected edit, red test, three rounds of the same.
 * Silent: the same order with other arguments, results that move, rounds in which a change lands (up to a cap).
 * Seen: openhands-llm-request/Qwen2.5-Coder-7B-Instruct__django__django-16485, calls 12–27: four calls in a circle.
 */
export function callCycle({ longest = 5, rounds = 3, changingRounds = 12, tools }: CallCycleOptions = {}): Policy<CallCycleState> {
  return callDetector<CallCycleState>({
    name: "call-cycle",
    tools,
    initial: () => ({ steps: [], period: 0, rounds: 0 }),
    onCall: (state, { tool, fingerprint, turn, moved, landed, waits }) => {
      if (waits) return;
      const { steps } = state;
      if (isCompaction(tool)) steps.length = 0;
      for (let index = steps.length - 1; index >= 0 && steps[index]?.turn === turn; index -= 1) {
        if (steps[index]?.fingerprint === fingerprint) return;
      }
      pushRoughly(steps, { fingerprint, turn, moved: moved === true, landed }, KEPT);
      state.period = 0;
      for (let period = 2; period <= longest; period += 1) {
        const found = countRounds(steps, period);
        if (found.rounds >= (found.landed ? changingRounds : rounds)) {
          state.period = period;
          state.rounds = found.rounds;
          return;
        }
      }
    },
    report: ({ steps, period, rounds: found }) => {
      if (period === 0) return undefined;
      const names = steps.slice(-period).map(({ fingerprint }) => fingerprint);
      const ring = names.toSorted();
      const evidence = { calls: names.map(labelOf), rounds: found };
      return alert({ kind: "call-cycle", signature: ring.join("\n"), subject: names[0] ?? "", count: found, evidence });
    },
  });
}

/** How many rounds of this length the newest calls make, and whether anything changed in the last of them. */
function countRounds(steps: readonly Step[], period: number): { readonly rounds: number; readonly landed: boolean } {
  const none = { rounds: 0, landed: false };
  const last = steps.length - 1;
  if (steps[last]?.fingerprint !== steps[last - period]?.fingerprint) return none;
  // One call over and over is no cycle.
  if (steps[last]?.fingerprint === steps[last - 1]?.fingerprint) return none;
  let matched = 0;
  let landed = false;
  for (let index = last; index - period >= 0; index -= 1) {
    const step = steps[index];
    if (step === undefined || step.fingerprint !== steps[index - period]?.fingerprint || step.moved) break;
    landed ||= step.landed;
    matched += 1;
  }
  return { rounds: Math.floor(matched / period) + 1, landed };
}
