import { type Veto, veto, type Vouch, vouch } from "./decision.ts";
import type { EventOf } from "../events/run-event.ts";
import type { VouchVerdict } from "../account/evidence.ts";
import type { Json } from "../text/json.ts";
import { definePolicy, type Observers, type Policy } from "./policy.ts";
import type { RunView, StateKey } from "../view/run-view.ts";

/** The answer of a gate: a verdict, and one sentence for people that says why. */
export type GateAnswer =
  | { readonly verdict: VouchVerdict; readonly why: string; readonly evidence?: Json }
  | {
      /** Both mean not met. Mode `gate` sends the agent back to work on a veto, never on an objection. */
      readonly verdict: "veto" | "objection";
      readonly why: string;
      /** The message for the agent. @default why */
      readonly text?: string;
      readonly evidence?: Json;
    };

/** Options for `defineGate()`. */
export interface GateOptions<TState> {
  readonly name: string;
  readonly version?: string;
  readonly key?: StateKey<TState>;
  readonly initial?: () => TState;
  readonly observe?: Observers<TState>;
  /** Answers when the agent wants to finish; `undefined` if the gate has nothing to say about this run. Pure. */
  readonly check: (run: RunView, state: Readonly<TState>, event: EventOf<"finish.requested">) => GateAnswer | undefined;
}

/**
 * Defines a gate: a policy that is asked when the agent wants to finish.
 *
 * @example
 * const licensed = defineGate({
 *   name: "licensed",
 *   initial: () => ({ added: false }),
 *   observe: {
 *     "tool.finished": (state, { meaning }) => {
 *       state.added ||= meaning.targets?.includes("LICENSE") === true;
 *     },
 *   },
 *   check: (_run, { added }) =>
 *     added ? { verdict: "met", why: "LICENSE was written." } : { verdict: "veto", why: "LICENSE is missing." },
 * });
 */
export function defineGate<TState = undefined>({ check, ...policy }: GateOptions<TState>): Policy<TState> {
  return definePolicy<TState>({
    ...policy,
    decide: {
      "finish.requested": (run, state, event) => {
        const answer = check(run, state, event);
        return answer === undefined ? undefined : toDecision(policy.name, answer);
      },
    },
  });
}

function toDecision(gate: string, { verdict, ...answer }: GateAnswer): Veto | Vouch {
  if (verdict !== "veto" && verdict !== "objection") return vouch({ gate, verdict, ...answer });
  const { text = answer.why, ...rest } = answer as { readonly text?: string; readonly why: string };
  return veto(text, { gate, ...rest, sendBack: verdict === "veto" });
}
