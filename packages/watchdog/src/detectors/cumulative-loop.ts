import { type Alert, alert, definePolicy, type Policy, type Stop, stop } from "@phasekit/core";
import { setBounded } from "../bounded.ts";
import { readCall } from "../call.ts";
import type { CallOptions } from "../tool-rules.ts";

/** Options of `cumulativeLoop`. */
export interface CumulativeLoopOptions extends CallOptions {
  /** Corrections in one sub-loop, per phase entry. @default 60 */
  readonly perLoop?: number;
  /** Corrections in all, per phase entry. @default 200 */
  readonly inAll?: number;
  /** Ask to stop when it opens, also outside mode `gate`: then it is a limit you wrote. @default false */
  readonly stops?: boolean;
}

interface CumulativeLoopState {
  readonly loops: Map<string, number>;
  all: number;
  loop: string;
  /** Which cap opened the breaker; it stays open for the phase entry. */
  latched: string;
}

const MAX_LOOPS = 64;

/**
 * The breaker for many related corrections that no single signature dominates.
 *
 * Fires: the 60th correction of one sub-loop or the 200th of all, within one phase entry: arguments that do not validate,
 * operations and checks that fail, failing calls.
 * Silent: one below; a new phase entry starts anew; a tool that works more often than it fails, however long the run.
 * Seen: seed 003, rewrites and validation errors that drained a weekly key.
 */
export function cumulativeLoop({ perLoop = 60, inAll = 200, stops = false, tools }: CumulativeLoopOptions = {}): Policy<CumulativeLoopState> {
  function see(state: CumulativeLoopState, loop: string): void {
    const count = (state.loops.get(loop) ?? 0) + 1;
    setBounded(state.loops, [loop, count], MAX_LOOPS);
    state.all += 1;
    state.loop = loop;
    if (state.latched === "" && count >= perLoop) state.latched = `loop:${loop}`;
    if (state.latched === "" && state.all >= inAll) state.latched = "all";
  }

  function makeUp(state: CumulativeLoopState, loop: string): void {
    const count = state.loops.get(loop) ?? 0;
    if (count === 0) return;
    state.loops.set(loop, count - 1);
    state.all -= 1;
  }

  function report({ loops, all, latched, loop }: Readonly<CumulativeLoopState>): readonly (Alert | Stop)[] | undefined {
    if (latched === "") return undefined;
    const count = latched === "all" ? all : (loops.get(latched.slice("loop:".length)) ?? 0);
    const open = alert({ kind: "cumulative-loop", signature: latched, count, severity: "critical", evidence: { loop, all } });
    return stops ? [open, stop({ reason: "aborted_cumulative_loop", text: `${String(count)} corrections in one phase.` })] : [open];
  }

  const start = (state: CumulativeLoopState): void => {
    state.loops.clear();
    state.all = 0;
    state.latched = "";
  };
  return definePolicy<CumulativeLoopState>({
    name: "cumulative-loop",
    version: "3",
    // A new phase entry ends it, whatever kind of fact comes first.
    saysAll: true,
    initial: () => ({ loops: new Map(), all: 0, loop: "", latched: "" }),
    observe: {
      "tool.finished": (state, event) => {
        const call = readCall(event, tools);
        if (call?.failed === true) see(state, event.loop ?? event.tool);
        // A long run has failures here and there; where nobody said that calls are corrections, good ones make up for bad ones.
        else if (state.all > 0 && call !== undefined && event.loop === undefined) makeUp(state, event.tool);
      },
      "validation.failed": (state, { loop, tool }) => { see(state, loop ?? tool ?? "validation"); },
      "operation.finished": (state, { outcome, loop, name }) => {
        if (outcome === "failure") see(state, loop ?? name);
      },
      "check.finished": (state, { check, outcome, loop }) => {
        if (outcome !== "success") see(state, loop ?? check);
      },
      "phase.transition": start,
      "phase.rolled-back": start,
    },
    decide: {
      "tool.finished": (_run, state) => report(state),
      "validation.failed": (_run, state) => report(state),
      "operation.finished": (_run, state) => report(state),
      "check.finished": (_run, state) => report(state),
    },
  });
}
