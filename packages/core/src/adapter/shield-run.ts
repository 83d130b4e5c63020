import { defineEvent } from "../events/define-event.ts";
import { messageOf } from "../text/error-shape.ts";
import type { FinishAnswer, RunPort, ToolAnswer, TurnAnswer } from "../run/run.ts";

const adapterFailed = /* @__PURE__ */ defineEvent<{ readonly during: string; readonly message: string }>(
  "adapter.failed",
);

const GO_ON: TurnAnswer = {
  turn: 0,
  nudges: [],
  message: undefined,
  tools: undefined,
  model: undefined,
  review: undefined,
  wrapUp: false,
  stop: undefined,
};

const ACCEPT: FinishAnswer = {
  accept: true,
  verified: false,
  evidence: { grade: "claimed", why: "Phasekit failed, so no gate was asked.", gates: [] },
  unmet: [],
};

/** The questions and events of a run, made safe: whatever fails inside, the host continues as without Phasekit. */
export interface ShieldedRun extends Pick<RunPort, "beforeTurn" | "beforeTool" | "beforeFinish" | "record" | "text"> {
  readonly port: RunPort;
  /** Does something for the run; an error is recorded and `otherwise` is the answer. */
  readonly attempt: <T>(during: string, work: () => T, otherwise: T) => T;
}

const shields = new WeakMap<RunPort, ShieldedRun>();

/** A run behind a shield: an exception inside Phasekit is recorded as `adapter.failed`, and the host continues. */
export function shieldRun(port: RunPort): ShieldedRun {
  const known = shields.get(port);
  if (known !== undefined) return known;

  function attempt<T>(during: string, work: () => T, otherwise: T): T {
    try {
      return work();
    } catch (error) {
      note(during, error);
      return otherwise;
    }
  }

  /** The id of a call whose question failed, if it can be read. */
  function idOf(question: Parameters<RunPort["beforeTool"]>[0]): string {
    return attempt("beforeTool", () => question.call ?? "", "");
  }

  function note(during: string, error: unknown): void {
    try {
      port.record(adapterFailed.record({ during, message: messageOf(error, Infinity) }));
    } catch {
      // The run itself is broken. The agent must not notice.
    }
  }

  const shield: ShieldedRun = {
    port,
    attempt,
    beforeTurn: (options) => attempt("beforeTurn", () => port.beforeTurn(options), GO_ON),
    beforeTool: (call) =>
      attempt<ToolAnswer | undefined>("beforeTool", () => port.beforeTool(call), undefined) ?? {
        allow: true,
        call: idOf(call),
      },
    beforeFinish: (options) => attempt("beforeFinish", () => port.beforeFinish(options), ACCEPT),
    record: (event) => attempt("record", () => port.record(event), false),
    text: (delta, options) => attempt("text", () => port.text(delta, options), { stop: false }),
  };
  shields.set(port, shield);
  return shield;
}
