import type { PhaseGraph, PhaseSpec } from "../graph/phase-graph.ts";
import { phaseGuidance } from "./phase-guidance.ts";
import { phaseRules } from "./phase-rules.ts";
import { phaseTimeout } from "./phase-timeout.ts";
import { requiredPhases } from "./required-phases.ts";
import { stallReminder } from "./stall-reminder.ts";
import type { Policy } from "./policy.ts";

/**
 * The policies a graph asks for by what it declares: guidance, tool rules, time-outs, turn limits, required visits.
 * A run has them by itself; a policy of the same name in its options takes the place of one.
 */
export function graphPolicies(graph: PhaseGraph): readonly Policy[] {
  const phases: readonly PhaseSpec[] = Object.values(graph.phases);
  const some = (has: (phase: PhaseSpec) => boolean): boolean => phases.some(has);
  return [
    ...(some(
      ({ guidance, constraints, notes }) => guidance !== undefined || constraints !== undefined || notes !== undefined,
    )
      ? [phaseGuidance()]
      : []),
    ...(some(({ tools, activities }) => tools !== undefined || activities !== undefined) ? [phaseRules()] : []),
    ...(some(({ timeoutMs }) => timeoutMs !== undefined) ? [phaseTimeout()] : []),
    ...(some(({ maxTurns }) => maxTurns !== undefined) ? [stallReminder({ afterTurns: Infinity })] : []),
    ...((graph.required ?? []).length > 0 ? [requiredPhases()] : []),
  ];
}
