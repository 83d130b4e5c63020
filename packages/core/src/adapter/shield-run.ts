import { defineFact } from "../define-fact.ts";
import { messageOf } from "../error-shape.ts";
import type { RunPort, TurnAnswer } from "../run.ts";

const adapterFailed = defineFact<{ readonly during: string; readonly message: string }>("adapter.failed");

const GO_ON: TurnAnswer = { turn: 0, nudges: [], message: undefined, tools: undefined, model: undefined, review: undefined, wrapUp: false, stop: undefined };

/** The questions and facts of a run, made safe: whatever goes wrong inside, the host goes on as if nobody watched. */
export interface ShieldedRun extends Pick<RunPort, "beforeTurn" | "beforeTool" | "beforeFinish" | "record" | "text"> {
  readonly port: RunPort;
  /** Does something for the run; an error is recorded and `otherwise` is the answer. */
  readonly attempt: <T>(during: string, work: () => T, otherwise: T) => T;
}

const shields = new WeakMap<RunPort, ShieldedRun>();

/** The same run behind a shield: an exception inside Phasekit is recorded as `adapter.failed`, and the answer is "go on". */
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

  function note(during: string, error: unknown): void {
    try {
      port.record(adapterFailed.record({ during, message: messageOf(error) }));
    } catch {
      // The run itself is broken. The agent must not notice.
    }
  }

  const shield: ShieldedRun = {
    port,
    attempt,
    beforeTurn: (options) => attempt("beforeTurn", () => port.beforeTurn(options), GO_ON),
    beforeTool: (call) => attempt("beforeTool", () => port.beforeTool(call), { allow: true, call: call.call ?? "" }),
    beforeFinish: (options) => attempt("beforeFinish", () => port.beforeFinish(options), { accept: true, verified: false, unmet: [] }),
    record: (fact) => attempt("record", () => port.record(fact), false),
    text: (delta, options) => attempt("text", () => port.text(delta, options), { stop: false }),
  };
  shields.set(port, shield);
  return shield;
}
