import { defineEvent } from "../events/define-event.ts";
import { messageOf } from "../text/error-shape.ts";
import { nameIn, toObject } from "../text/loose-object.ts";
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
  /** True if the host's loop must end. It continues if the closing turn is still to come. */
  readonly isOver: (closed: boolean) => boolean;
  /** Records the nudges of a turn as lost, so that they can be sent later. */
  readonly loseNudges: (turn: TurnAnswer, why: string) => void;
  /** Records an answer unless it is recorded: the same object, or one of this turn with the same id. */
  readonly recordOnce: (answer: object, record: () => void) => void;
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

  const recorded = new WeakSet<object>();
  let last: { readonly id: string; readonly turn: number } | undefined;

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
    isOver: (closed) =>
      attempt(
        "stop",
        () => {
          const { status, stopped } = port.view;
          return status !== "running" || (stopped !== undefined && (stopped.how !== "wrap-up" || closed));
        },
        false,
      ),
    loseNudges: ({ nudges }, why) => {
      for (const { nudge } of nudges) shield.record({ type: "nudge.lost", nudge, why });
    },
    recordOnce: (answer, record) => {
      attempt(
        "recordResponse",
        () => {
          const id = nameIn(toObject(answer)["id"]);
          const isSame = id !== undefined && last?.id === id && last.turn === port.view.turn;
          if (recorded.has(answer) || isSame) return;
          recorded.add(answer);
          record();
          // Some servers give every answer the same id, so it counts within a turn only.
          if (id !== undefined) last = { id, turn: port.view.turn };
        },
        undefined,
      );
    },
  };
  shields.set(port, shield);
  return shield;
}
