import { definePolicy, type Policy, refuse } from "@phasekit/core";
import { assertNumbers, setBounded } from "@phasekit/core/adapter";
import { nameCall } from "./alert-text.ts";
import { callOf } from "@phasekit/core/account";
import { firstLine } from "./call-result.ts";

/** Options for `circuitBreaker()`. All optional. */
export interface CircuitBreakerOptions {
  /** Equal failures of one call in a row that open its breaker. @default 3 */
  readonly max?: number;
}

interface Circuit {
  /** The first line of the error. */
  readonly error: string;
  readonly count: number;
}

interface CircuitState {
  readonly circuits: Map<string, Circuit>;
}

const MAX_CALLS = 64;

/**
 * Refuses a call that failed `max` times in the same way, in mode `gate`. Another error or a success of the same call
 * closes the breaker, and so does a message to the agent. Stricter than `escalation()`, which sends a nudge first: for
 * tools that are expensive to run.
 *
 * @throws INVALID_OPTION if `max` is not a number of at least 1.
 */
export function circuitBreaker({ max = 3 }: CircuitBreakerOptions = {}): Policy {
  assertNumbers({ max }, { atLeast: 1 });
  return definePolicy<CircuitState>({
    name: "circuit-breaker",
    version: "4",
    initial: () => ({ circuits: new Map() }),
    observe: {
      "tool.finished": ({ circuits }, event) => {
        if (event.outcome === "denied") return;
        const about = callOf(event).about;
        if (!callOf(event).failed) {
          circuits.delete(about);
          return;
        }
        const error = firstLine(event);
        const before = circuits.get(about);
        // A reader has compared the whole answer with the last ones to the same question.
        const isSame = before !== undefined && (before.error === error || event.meaning.moved === false);
        setBounded(circuits, [about, { error, count: isSame ? before.count + 1 : 1 }], MAX_CALLS);
      },
      "message.received": ({ circuits }) => {
        circuits.clear();
      },
    },
    decide: {
      "tool.requested": (_run, { circuits }, event) => {
        const about = callOf(event).about;
        const circuit = circuits.get(about);
        if (circuit === undefined || circuit.count < max) return undefined;
        return refuse(
          `Refused: ${nameCall({ about })} failed ${circuit.count} times in the same way (${circuit.error}). ` +
            "Take another step.",
        );
      },
    },
  });
}
