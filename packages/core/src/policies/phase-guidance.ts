import { nudge } from "./decision.ts";
import { ownValue } from "../text/own-value.ts";
import { type PhaseSpec, phaseSpec } from "../graph/phase-graph.ts";
import { definePolicy, type Policy } from "./policy.ts";

export interface PhaseGuidanceOptions {
  /** Agents that get no guidance, such as a router. @default [] */
  readonly except?: readonly string[];
  /** The text for one phase; `undefined` says nothing. @default guidance, constraints and notes of the phase */
  readonly render?: (
    phase: PhaseSpec,
    context: { readonly name: string; readonly agent: string | undefined; readonly previous: string | undefined },
  ) => string | undefined;
}

/** Tells each agent what its phase is about when it enters and when the phase changes, and never again. */
export function phaseGuidance({ except = [], render = renderGuidance }: PhaseGuidanceOptions = {}): Policy {
  return definePolicy({
    name: "phase-guidance",
    decide: {
      "turn.started": (run, _state, { agent }) => {
        const phase = phaseSpec(run.graph, run.phase);
        if (phase === undefined || (agent !== undefined && except.includes(agent))) return undefined;
        const text = render(phase, { name: run.phase, agent, previous: run.previousPhase });
        return text === undefined
          ? undefined
          : nudge(text, { episode: `${run.phaseEntry}@${agent ?? ""}`, guidance: true });
      },
    },
  });
}

/** Guidance, constraints and notes of a phase as one text; `undefined` when the phase has none of them. */
export function renderGuidance(
  { guidance, constraints = [], notes = [] }: PhaseSpec,
  {
    name,
    agent,
    previous,
  }: { readonly name: string; readonly agent?: string | undefined; readonly previous?: string | undefined },
): string | undefined {
  const own =
    typeof guidance === "object"
      ? ((agent === undefined ? undefined : ownValue(guidance, agent)) ?? guidance["default"])
      : guidance;
  const lines = [
    ...(own === undefined ? [] : [own]),
    ...constraints.map((rule) => `- ${rule}`),
    ...notes.map((note) => `Note: ${note}`),
  ];
  if (lines.length === 0) return undefined;
  const heading =
    previous === undefined ? `You are in the phase "${name}".` : `The phase changed from "${previous}" to "${name}".`;
  return [heading, ...lines].join("\n");
}
