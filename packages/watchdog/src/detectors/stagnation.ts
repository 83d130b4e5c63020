import { type Alert, alert, definePolicy, hashText, type Policy, type Stop, stop } from "@phasekit/core";
import { askedFor } from "../asked-for.ts";
import { pushBounded, setBounded } from "../bounded.ts";
import { readCall } from "../call.ts";
import { labelOf } from "../fingerprint.ts";
import { mayPass } from "../passing-error.ts";
import { errorOf, firstWords, outputText } from "../result-text.ts";
import { goesOn, shareOf } from "../share-done.ts";
import { type CallOptions, isShellName } from "../tool-rules.ts";

/** Options of `stagnation`. */
export interface StagnationOptions extends CallOptions {
  /** Observations of one sub-loop that are looked at. @default 12 */
  readonly window?: number;
  /** Equal signatures that warn. @default 3 */
  readonly warnAt?: number;
  /** Equal signatures that open the breaker, until a review, a message or another phase. @default 5 */
  readonly latchAt?: number;
  /** Ask to stop when it opens, also outside mode `gate`: then it is a limit you wrote. @default false */
  readonly stops?: boolean;
}

/** What failed: the same for the same failure of the same function on the same target. */
export interface Observation {
  readonly type: string;
  readonly fn: string;
  readonly target: string;
  readonly errors: readonly string[];
}

/** The signature of a failure, as `event|function|target:…|errors:hash`. The order of the errors makes no difference. */
export function failureSignature({ type, fn, target, errors }: Observation): string {
  return `${type}|${fn}|target:${target}|errors:${hashText(errors.toSorted().join("\n"))}`;
}

interface StagnationState {
  readonly loops: Map<string, string[]>;
  current: string;
  signature: string;
  /** The call it is about, when it is one, and what it said. */
  subject: string;
  error: string;
  /** It may well pass by itself. */
  passing: boolean;
  /** How many failures somebody asked for. */
  asked: number;
  count: number;
  /** The signature that opened the breaker; it stays open. */
  latched: string;
  latchedCount: number;
}

const MAX_LOOPS = 32;
const MAX_ERROR = 1200;

/**
 * The breaker for one failure that keeps coming back inside a sliding window, per sub-loop.
 *
 * Fires: a warning at three equal signatures among the last twelve failures, open at five until somebody looks at it.
 * Silent: other errors, other targets, failures that have left the window.
 * Seen: seed 003, six runs with one signature and an empty target.
 */
export function stagnation({ window = 12, warnAt = 3, latchAt = 5, stops = false, tools }: StagnationOptions = {}): Policy<StagnationState> {
  function see(state: StagnationState, signature: string, { loop, subject = "", error = "", passing = false }: { readonly loop: string; readonly subject?: string; readonly error?: string; readonly passing?: boolean }): void {
    state.subject = subject;
    state.error = error;
    state.passing = passing;
    const recent = state.loops.get(loop) ?? [];
    pushBounded(recent, signature, window);
    setBounded(state.loops, [loop, recent], MAX_LOOPS);
    state.current = loop;
    state.signature = signature;
    state.count = recent.reduce((count, seen) => count + (seen === signature ? 1 : 0), 0);
    if (state.latched === "" && state.count >= Math.max(latchAt, state.asked)) state.latched = signature;
    if (state.latched === signature) state.latchedCount = state.count;
  }

  function report({ signature, subject, error, passing, asked, count, latched, latchedCount, current }: Readonly<StagnationState>): readonly (Alert | Stop)[] | undefined {
    const about = subject === "" ? {} : { subject };
    const evidence = { loop: current, ...(error !== "" && { error }) };
    if (latched !== "") {
      const open = alert({ kind: "stagnation", ...about, signature: latched, count: latchedCount, severity: "critical", evidence: { latched: true, ...evidence } });
      return stops ? [open, stop({ reason: "aborted_stagnation", text: `The same failure came back ${String(latchedCount)} times: ${latched}` })] : [open];
    }
    if (count < Math.max(passing ? warnAt + 1 : warnAt, asked)) return undefined;
    return [alert({ kind: "stagnation", ...about, signature, count, severity: "notice", evidence: { latched: false, ...evidence } })];
  }

  const close = (state: StagnationState): void => {
    state.loops.clear();
    state.latched = "";
    state.count = 0;
  };
  return definePolicy<StagnationState>({
    name: "stagnation",
    version: "2",
    // What one kind of failure opened, a call that went well can end.
    saysAll: true,
    initial: () => ({ loops: new Map(), current: "", signature: "", subject: "", error: "", passing: false, asked: 0, count: 0, latched: "", latchedCount: 0 }),
    observe: {
      "tool.finished": (state, event) => {
        state.count = 0;
        const call = readCall(event, tools);
        if (call === undefined) return;
        // A change that landed makes the next failure a new one; so does waiting, which is what a careful retry does.
        if (call.landed || call.waits || call.spaced) state.loops.clear();
        if (call.checks || (!call.failed && state.loops.size === 0)) return;
        const label = labelOf(call.fingerprint);
        // What a command is about is the command.
        const target = (isShellName(call.tool) ? undefined : event.meaning.targets?.[0]) ?? (label === call.tool ? call.fingerprint : label);
        if (!call.failed) {
          // What works now and then is being tried out.
          const prefix = `tool|${call.tool}|target:${target}|`;
          for (const [loop, signatures] of state.loops) state.loops.set(loop, signatures.filter((signature) => !signature.startsWith(prefix)));
          return;
        }
        const error = errorOf(event);
        // A failure that came further is another one.
        const step = goesOn(label) && call.moved === true ? outputText(event.output).slice(0, MAX_ERROR) : undefined;
        const done = step ?? shareOf(outputText(event.output));
        const signature = failureSignature({ type: "tool", fn: call.tool, target, errors: done === undefined ? [error] : [error, String(done)] });
        see(state, signature, { loop: event.loop ?? "", subject: call.fingerprint, error: firstWords(event), passing: mayPass(error) });
      },
      "validation.failed": (state, { path, expected = "", tool = "", loop = "" }) => {
        see(state, failureSignature({ type: "validation", fn: tool, target: path, errors: [expected] }), { loop });
      },
      "operation.finished": (state, { name, outcome, why = "", loop = "" }) => {
        state.count = 0;
        if (outcome === "failure") see(state, failureSignature({ type: "operation", fn: name, target: "", errors: [why] }), { loop });
      },
      "check.finished": (state, { check, outcome, first = "", loop = "" }) => {
        state.count = 0;
        if (outcome !== "success") see(state, failureSignature({ type: "check", fn: check, target: "", errors: [first] }), { loop });
      },
      // Somebody looked at it, or it is another piece of work: the breaker closes.
      "run.started": (state, { task }) => {
        state.asked = askedFor(task?.text ?? "").failing;
      },
      "message.received": (state, { excerpt = "" }) => {
        close(state);
        state.asked = askedFor(excerpt).failing;
      },
      "review.finished": close,
      "phase.transition": close,
      "phase.rolled-back": close,
    },
    decide: {
      "tool.finished": (_run, state) => report(state),
      "validation.failed": (_run, state) => report(state),
      "operation.finished": (_run, state) => report(state),
      "check.finished": (_run, state) => report(state),
    },
  });
}
