import { alert, definePolicy, type Policy, type RunView, stop } from "@phasekit/core";

/** Options of `silence`. */
export interface SilenceOptions {
  /** Time without any event in a working phase. @default 1800000 */
  readonly afterMs?: number;
  /** Phases in which waiting is the work; there silence means nothing. */
  readonly waiting?: readonly string[];
  /** Ask to stop, also outside mode `gate`: then it is a limit you wrote. @default false */
  readonly stops?: boolean;
}

interface SilenceState {
  heardAt: number;
  silentMs: number;
}

const HEARD = [
  "run.started", "run.resumed", "turn.started", "model.answered", "model.failed", "tool.requested", "tool.finished", "message.sent",
  "message.received", "progress.made", "move.requested", "review.finished", "child.progressed",
] as const;
const WAITING = /wait|review|await|suspend|blocked|question|setup|done|merge/i;

/**
 * Notices that nothing has happened for long in a phase that should be working. Nobody is told that nothing moves
 * unless somebody looks at the clock: the host calls `run.tick()` when `run.wakeAt` has come.
 *
 * Fires: half an hour without an event while planning, coding or testing. Silent: in waiting phases, while a review is
 * pending, while a tool runs (that is `callTimeout`'s), while suspended.
 * Seen: seed 004's supervisor; maestro issue 201, an hour and three quarters of silence nobody heard of.
 */
export function silence({ afterMs = 1_800_000, waiting, stops = false }: SilenceOptions = {}): Policy<SilenceState> {
  const waits = (run: RunView): boolean =>
    run.status !== "running" || run.reviews.size > 0 || run.pending.size > 0 ||
    (waiting === undefined ? WAITING.test(run.phase) : waiting.includes(run.phase));
  return definePolicy<SilenceState>({
    name: "silence",
    version: "2",
    // The first thing that is heard again ends it.
    saysAll: true,
    initial: () => ({ heardAt: 0, silentMs: 0 }),
    observe: {
      ...HEARING,
      "clock.ticked": (state, { at }) => { state.silentMs = at - state.heardAt; },
    },
    decide: {
      ...HEARD_AGAIN,
      "clock.ticked": (run, { silentMs }) => {
        if (silentMs < afterMs || waits(run)) return undefined;
        const silent = alert({ kind: "silence", signature: run.phaseEntry, severity: "critical", evidence: { silentMs, phase: run.phase } });
        return stops ? [silent, stop({ reason: "timeout", text: `Nothing happened for ${String(Math.round(silentMs / 60_000))} minutes.` })] : silent;
      },
    },
    wakeAt: (run, { heardAt }) => (waits(run) ? undefined : heardAt + afterMs),
  });
}

function hear(state: SilenceState, { at }: { readonly at: number }): void {
  state.heardAt = at;
  state.silentMs = 0;
}

const HEARING = /* @__PURE__ */ Object.fromEntries(HEARD.map((type) => [type, hear]));
const HEARD_AGAIN = /* @__PURE__ */ Object.fromEntries(HEARD.map((type) => [type, () => undefined]));
