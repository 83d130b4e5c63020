import { alert, definePolicy, type Policy, type RunView, stop } from "@phasekit/core";
import { phaseSpec } from "@phasekit/core/adapter";
import type { LimitOptions } from "./breakers.ts";

interface SilenceState {
  heardAt: number;
  silentMs: number;
}

const HEARD = [
  "run.started",
  "run.resumed",
  "turn.started",
  "model.answered",
  "model.failed",
  "tool.requested",
  "tool.finished",
  "message.sent",
  "message.received",
  "progress.made",
  "move.requested",
  "review.finished",
  "child.progressed",
] as const;

/**
 * Reports that a run recorded nothing for long in a phase that should be working. The host calls `run.tick()` when
 * `run.wakeAt` has passed. Pending reviews, pending calls, suspended runs, phases of `waiting` and phases whose graph
 * declares `waiting: true` are not silent.
 */
export function silence({
  at: afterMs,
  stops,
  waiting = [],
}: LimitOptions & { readonly waiting?: readonly string[] | undefined }): Policy<SilenceState, string> {
  const waits = (run: RunView): boolean =>
    run.status !== "running" ||
    run.reviews.size > 0 ||
    run.pending.size > 0 ||
    waiting.includes(run.phase) ||
    phaseSpec(run.graph, run.phase)?.waiting === true;
  return definePolicy<SilenceState, string>({
    name: "silence",
    version: "3",
    mentions: waiting,
    alerts: "complete",
    initial: () => ({ heardAt: 0, silentMs: 0 }),
    observe: {
      ...HEARING,
      "clock.ticked": (state, { at }) => {
        state.silentMs = at - state.heardAt;
      },
    },
    decide: {
      ...HEARD_AGAIN,
      "clock.ticked": (run, { silentMs }) => {
        if (silentMs < afterMs || waits(run)) return undefined;
        const silent = alert({
          kind: "silence",
          signature: run.phaseEntry,
          severity: "critical",
          evidence: { silentMs, phase: run.phase },
        });
        const text = `Nothing happened for ${Math.round(silentMs / 60_000)} minutes.`;
        return stops ? [silent, stop({ reason: "timeout", text })] : silent;
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

/** A model call may take this many times as long as a tool call. */
const MODEL = 3;

/**
 * Reports one call that takes longer than its limit: while it is pending, by the clock, and when it comes back. The
 * next call or answer that is in time clears the alert.
 */
export function callTimeout(toolMs: number): Policy {
  const report = (call: string, tookMs: number) =>
    alert({ kind: "call-timeout", signature: call, severity: "warning", evidence: { call, tookMs } });
  const ofModel = (
    _run: unknown,
    _state: unknown,
    { model = "the model", durationMs = 0 }: { readonly model?: string; readonly durationMs?: number },
  ) => (durationMs > toolMs * MODEL ? report(model, durationMs) : undefined);
  // A call of an earlier turn whose result never came is lost, not late: the agent continued without it.
  const waitedFor = ({ pending, turn: now }: RunView) =>
    [...pending.values()].filter(({ turn, refused }) => turn === now && refused === undefined);
  return definePolicy({
    name: "call-timeout",
    version: "2",
    alerts: "complete",
    decide: {
      "tool.finished": (_run, _state, { tool, durationMs = 0 }) =>
        durationMs > toolMs ? report(tool, durationMs) : undefined,
      "model.answered": ofModel,
      "model.failed": ofModel,
      "clock.ticked": (run) => {
        const late = waitedFor(run).find(({ at }) => run.now - at >= toolMs);
        return late === undefined ? undefined : report(late.tool, run.now - late.at);
      },
    },
    wakeAt: (run) => {
      const times = run.pending.size === 0 ? [] : waitedFor(run).map(({ at }) => at + toolMs);
      return times.length === 0 ? undefined : Math.min(...times);
    },
  });
}
