import { alert, type EventOf, type Policy } from "@phasekit/core";
import type { Call } from "../call.ts";
import { callDetector, type DetectorState } from "../call-detector.ts";
import { isAcknowledgement, saysBad, saysFine, saysNothing } from "../receipt.ts";
import { firstWords, outputText } from "../result-text.ts";
import { type CallOptions, isShellName } from "../tool-rules.ts";

/** Options of `interleavedRepeat`. */
export interface InterleavedRepeatOptions extends CallOptions {
  /** Equal calls with an unchanged result within the window. @default 3 */
  readonly times?: number;
  /** The same for what was to change something or says that something is wrong, whatever was changed in between. @default 5 */
  readonly futile?: number;
  /** Calls looked at. @default 20 */
  readonly window?: number;
}

interface InterleavedRepeatState extends DetectorState {
  /** The number of the call that changed something last: what was before does not count. */
  since: number;
  count: number;
  fingerprint: string;
  tool: string;
  result: string;
}

/**
 * Notices one call coming back between other calls with nothing new.
 *
 * Fires: the same red test between looks at different files; a form that stays as it is whatever is typed into it.
 * Silent: a change landed in between, the context was compacted, some repeated call in the window does move (that is
 * polling with other things between), waiting.
 * Seen: openhands-llm-request/o1_high_fc__pylint-dev__pylint-6386, call 20; deer-flow issue 1987.
 */
export function interleavedRepeat({ times = 3, futile = 5, window = 20, tools }: InterleavedRepeatOptions = {}): Policy {
  return callDetector<InterleavedRepeatState>({
    name: "interleaved-repeat",
    tools,
    initial: () => ({ idle: true, since: 0, count: 0, fingerprint: "", tool: "", result: "" }),
    onCall: (state, call, { event, number, recent, asked }) => {
      state.count = 0;
      state.idle = true;
      if (call.waits) return;
      if (call.landed || call.compacts) {
        state.since = number - 1;
        if (call.moved !== false) {
          state.since = number;
          return;
        }
      }
      if (call.moved !== false) return;
      const steps = recent.slice(-Math.min(window, number - state.since));
      const found = call.polls ? lookedAgain(call.dead ? recent.slice(-window) : steps, call) : 0;
      const { count, between } = call.polls ? NOT_BACK : countRepeats(steps, call.fingerprint);
      const bad = isFutile(call, event);
      const tried = !call.polls && (bad || showsNoEffect(call, event)) ? countFutile(recent.slice(-window), { call, empty: call.acts && isEmpty(outputText(event.output)) }) : 0;
      const least = (limit: number): number => Math.max(limit, asked.again);
      if (found >= least(futile + 1)) state.count = found;
      else if (between && count >= least(times)) state.count = count;
      else if (tried >= least(bad ? futile : futile + 1)) state.count = tried;
      else return;
      state.idle = false;
      state.fingerprint = call.fingerprint;
      state.tool = call.tool;
      state.result = firstWords(event);
    },
    report: ({ count, fingerprint, tool, result }) =>
      count > 0
        ? alert({ kind: "interleaved-repeat", signature: fingerprint, subject: fingerprint, count, evidence: { tool, result } })
        : undefined,
  });
}

const NOT_BACK = { count: 0, between: false };

/** How often something was asked for and had not moved, between other calls; asking at once again is plain polling, unless it is of no use. */
function lookedAgain(steps: readonly Call[], { fingerprint, dead }: Call): number {
  if (!dead && steps.at(-2)?.fingerprint === fingerprint) return 0;
  return steps.filter((step) => step.moved === false && step.fingerprint === fingerprint).length;
}

/** An action without effect, or a look that shows something to be wrong: what was done in between did not help. */
function isFutile({ acts, landed, failed, checks, looks }: Call, { output, meaning }: EventOf<"tool.finished">): boolean {
  if (typeof output === "string" && CELL_ERROR.test(output)) return true;
  if (failed || checks || landed || meaning.activity === "read" || meaning.activity === "search") return false;
  return acts || (!looks && saysBad(outputText(output)));
}

/** A look that shows something, and the same as before. */
function showsNoEffect({ tool, changes, failed, checks }: Call, { output, meaning }: EventOf<"tool.finished">): boolean {
  // Who greps after each edit looks whether it did something.
  const reads = meaning.activity === "read" || (meaning.activity === "search" && !isShellName(tool));
  if (failed || checks || changes || reads) return false;
  const text = outputText(output);
  return text.length >= SHOWING && !isAcknowledgement(output) && !saysFine(text) && !saysNothing(text);
}

const SHOWING = 30;
/** What a cell of a sheet shows when its formula is wrong. */
const CELL_ERROR = /^#[A-Z/0]{2,6}[!?]$/;

/** An answer that has a shape and nothing in it. */
function isEmpty(text: string): boolean {
  return text !== "" && !/\w/.test(text.replace(/"[\w-]+"\s*:/g, ""));
}

/** Occurrences at the end, as long as nothing but actions between them brought anything to light; looks may move when the call itself did nothing. */
function countFutile(steps: readonly Call[], { call: { fingerprint }, empty }: { readonly call: Call; readonly empty: boolean }): number {
  let count = 0;
  for (let index = steps.length - 1; index >= 0; index -= 1) {
    const step = steps[index];
    if (step?.fingerprint === fingerprint) {
      count += 1;
      if (step.moved !== false) return count;
    } else if (step !== undefined && !step.failed && !step.acknowledged && (empty ? step.moved === undefined : step.moved !== false)) return count;
  }
  return count;
}

/** Occurrences in different turns while nothing moved, and whether other calls came between them. */
function countRepeats(steps: readonly Call[], fingerprint: string): { readonly count: number; readonly between: boolean } {
  let count = 0;
  let turn = -1;
  let between = false;
  let others = false;
  for (const step of steps) {
    if (step.polls) continue;
    if (step.moved === true) return { count: 0, between: false };
    if (step.fingerprint !== fingerprint) {
      others = count > 0;
    } else if (step.turn !== turn) {
      between ||= others;
      count += 1;
      turn = step.turn;
    }
  }
  return { count, between };
}
