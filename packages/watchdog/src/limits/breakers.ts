import { type Alert, alert, definePolicy, defineState, type Policy, type Stop, stop } from "@phasekit/core";
import { hashText, pushBounded, setBounded } from "@phasekit/core/adapter";
import { callOf } from "@phasekit/core/account";

/** When a limit is crossed, and whether that stops the run in mode `nudge` too. */
export interface LimitOptions {
  readonly at: number;
  readonly stops: boolean;
}

/** A failure: the same for the same failure of the same function on the same target. */
export interface Failure {
  readonly type: string;
  readonly fn: string;
  readonly target: string;
  readonly errors: readonly string[];
}

/** The signature of a failure, as `type|function|target:…|errors:hash`. The order of the errors makes no difference. */
export function failureSignature({ type, fn, target, errors }: Failure): string {
  return `${type}|${fn}|target:${target}|errors:${hashText(errors.toSorted().join("\n"))}`;
}

/** The memory of the breaker for one failure. */
interface SameFailureState {
  /** Signatures of the last failures, by sub-loop. */
  readonly loops: Map<string, string[]>;
  signature: string;
  /** The newest failure in words. */
  last: string;
  /** How often the signature is among the last failures. */
  count: number;
  /** The signature that opened the breaker, until a review, a message or another phase. */
  latched: string;
}

export const sameFailureState = /* @__PURE__ */ defineState<SameFailureState>("watchdog/same-failure");

/** Failures of one sub-loop that are looked at. */
const WINDOW = 12;
/** Equal failures among them that raise a notice. */
const NOTICE = 3;
const MAX_LOOPS = 64;

/**
 * The breaker for one failure that keeps coming back inside a sliding window, per sub-loop: arguments that do not
 * validate, operations and checks that fail in the same way. Failing calls are left to `stall()`.
 */
export function sameFailure({ at, stops }: LimitOptions): Policy {
  function add(state: SameFailureState, failure: Failure, loop: string): void {
    const signature = failureSignature(failure);
    const recent = state.loops.get(loop) ?? [];
    pushBounded(recent, signature, WINDOW);
    setBounded(state.loops, [loop, recent], MAX_LOOPS);
    state.signature = signature;
    state.last = [failure.fn, failure.target, failure.errors[0]].filter(Boolean).join(" ").slice(0, 160);
    state.count = recent.filter((seen) => seen === signature).length;
    if (state.latched === "" && state.count >= at) state.latched = signature;
  }

  function report(_run: unknown, { signature, count, latched }: Readonly<SameFailureState>): Report {
    if (latched === "" && count < NOTICE) return [];
    const open = alert({
      kind: "stagnation",
      signature: latched === "" ? signature : latched,
      count,
      severity: latched === "" ? "notice" : "critical",
    });
    if (latched === "" || !stops) return [open];
    const text = `The same failure came back ${count} times: ${latched}`;
    return [open, stop({ reason: "aborted_stagnation", text })];
  }

  const close = (state: SameFailureState): void => {
    state.loops.clear();
    state.latched = "";
    state.count = 0;
  };
  return definePolicy<SameFailureState>({
    name: "stagnation",
    version: "3",
    key: sameFailureState,
    alerts: "complete",
    initial: () => ({ loops: new Map(), signature: "", last: "", count: 0, latched: "" }),
    observe: {
      "validation.failed": (state, { path, expected = "", tool = "", loop = "" }) => {
        add(state, { type: "validation", fn: tool, target: path, errors: [expected] }, loop);
      },
      "operation.finished": (state, { name, outcome, why = "", loop = "" }) => {
        if (outcome === "failure") add(state, { type: "operation", fn: name, target: "", errors: [why] }, loop);
      },
      "check.finished": (state, { check, outcome, first = "", loop = "" }) => {
        if (outcome !== "success") add(state, { type: "check", fn: check, target: "", errors: [first] }, loop);
      },
      // A person looked at it, or it is another piece of work: the breaker closes.
      "message.received": close,
      "review.finished": close,
      "phase.transition": close,
      "phase.rolled-back": close,
    },
    decide: afterFailures(report),
  });
}

/** The memory of the breaker for many corrections. */
interface CorrectionsState {
  readonly loops: Map<string, number>;
  all: number;
  /** The cap that opened the breaker; it stays open for the phase entry. */
  latched: string;
}

export const correctionsState = /* @__PURE__ */ defineState<CorrectionsState>("watchdog/corrections");

/**
 * The breaker for many related corrections that no single signature dominates, per phase entry: arguments that do not
 * validate, operations and checks that fail, failing calls. A tool that works more often than it fails never opens it.
 */
export function corrections({ at, inAll, stops }: LimitOptions & { readonly inAll: number }): Policy {
  function add(state: CorrectionsState, loop: string): void {
    const count = (state.loops.get(loop) ?? 0) + 1;
    setBounded(state.loops, [loop, count], MAX_LOOPS);
    state.all += 1;
    if (state.latched === "" && count >= at) state.latched = `loop:${loop}`;
    if (state.latched === "" && state.all >= inAll) state.latched = "all";
  }

  function makeUp(state: CorrectionsState, loop: string): void {
    const count = state.loops.get(loop) ?? 0;
    if (count === 0) return;
    state.loops.set(loop, count - 1);
    state.all -= 1;
  }

  function report(_run: unknown, { all, latched }: Readonly<CorrectionsState>): Report {
    if (latched === "") return [];
    const open = alert({ kind: "cumulative-loop", signature: latched, count: all, severity: "critical" });
    if (!stops) return [open];
    return [open, stop({ reason: "aborted_cumulative_loop", text: `${all} corrections in this phase.` })];
  }

  const reset = (state: CorrectionsState): void => {
    state.loops.clear();
    state.all = 0;
    state.latched = "";
  };
  return definePolicy<CorrectionsState>({
    name: "cumulative-loop",
    version: "4",
    key: correctionsState,
    alerts: "complete",
    initial: () => ({ loops: new Map(), all: 0, latched: "" }),
    observe: {
      "tool.finished": (state, event) => {
        if (event.outcome === "denied") return;
        if (callOf(event).failed) add(state, event.loop ?? event.tool);
        // Without a label nothing says that calls are corrections: good ones make up for bad ones.
        else if (state.all > 0 && event.loop === undefined) makeUp(state, event.tool);
      },
      "validation.failed": (state, { loop, tool }) => {
        add(state, loop ?? tool ?? "validation");
      },
      "operation.finished": (state, { outcome, loop, name }) => {
        if (outcome === "failure") add(state, loop ?? name);
      },
      "check.finished": (state, { check, outcome, loop }) => {
        if (outcome !== "success") add(state, loop ?? check);
      },
      "phase.transition": reset,
      "phase.rolled-back": reset,
    },
    decide: { ...afterFailures(report), "tool.finished": report },
  });
}

type Report = readonly (Alert | Stop)[];

/** The events after which both breakers say what holds. */
function afterFailures<T>(report: T) {
  return {
    "validation.failed": report,
    "operation.finished": report,
    "check.finished": report,
    "turn.started": report,
  };
}
