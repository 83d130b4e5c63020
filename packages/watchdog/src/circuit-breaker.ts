import { definePolicy, type Policy, refuse } from "@phasekit/core";
import { setBounded } from "./bounded.ts";
import { callFailed } from "./call.ts";
import { labelOf } from "./fingerprint.ts";
import { errorOf, firstWords } from "./result-text.ts";

/** Options of `circuitBreaker`. */
export interface CircuitBreakerOptions {
  /** Equal failures of one call in a row that open its breaker. @default 3 */
  readonly max?: number;
}

interface Circuit {
  readonly error: string;
  readonly words: string;
  readonly count: number;
}

interface CircuitState {
  readonly circuits: Map<string, Circuit>;
}

const MAX_CALLS = 64;

/**
 * Answers a call that failed `max` times in the same way instead of running it; in mode `gate`. Another error or a
 * success of the same call closes the breaker, and so does a message to the agent. Stricter than `escalation()`, which
 * warns first: for tools that are dear to run.
 */
export function circuitBreaker({ max = 3 }: CircuitBreakerOptions = {}): Policy<CircuitState> {
  return definePolicy<CircuitState>({
    name: "circuit-breaker",
    version: "1",
    initial: () => ({ circuits: new Map() }),
    observe: {
      "tool.finished": ({ circuits }, event) => {
        const { fingerprint } = event.meaning;
        if (fingerprint === undefined || event.outcome === "denied") return;
        if (!callFailed(event)) {
          circuits.delete(fingerprint);
          return;
        }
        const error = errorOf(event);
        const before = circuits.get(fingerprint);
        const count = before?.error === error ? before.count + 1 : 1;
        setBounded(circuits, [fingerprint, { error, words: firstWords(event), count }], MAX_CALLS);
      },
      "message.received": ({ circuits }) => { circuits.clear(); },
    },
    decide: {
      "tool.requested": (_run, { circuits }, { meaning }) => {
        const { fingerprint = "" } = meaning;
        const circuit = circuits.get(fingerprint);
        if (circuit === undefined || circuit.count < max) return undefined;
        return refuse(`Not run: \`${labelOf(fingerprint)}\` failed ${String(circuit.count)} times in the same way. The last error was: ${circuit.words} Try something else.`);
      },
    },
  });
}
