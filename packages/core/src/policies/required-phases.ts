import { veto, vouch } from "./decision.ts";
import { definePolicy, type Policy } from "./policy.ts";
import { quote } from "../text/quote.ts";
import type { RunView } from "../view/run-view.ts";

/**
 * Vetoes a finish while the graph's `required` visits are owed. The graph itself refuses moves into a `before` phase.
 */
export function requiredPhases(): Policy {
  return definePolicy({
    name: "required-phases",
    decide: {
      "finish.requested": (run) => {
        const owed = owedAtEnd(run);
        if (owed.length > 0)
          return veto(
            `Before this can end, the work still has to go through: ${owed.map((phase) => quote(phase)).join(", ")}.`,
            { evidence: { owed } },
          );
        // A visit says nothing about the work: it does not verify the run.
        return run.transitions.length > 0
          ? vouch({ verdict: "met", why: "Every required phase was visited." })
          : undefined;
      },
    },
  });
}

/** Finishing completes the present phase, so what its completion makes due is owed too. */
function owedAtEnd({ owed, graph, phase }: RunView): readonly string[] {
  const due = (graph.required ?? []).filter(
    ({ after, before, when }) => after === phase && before === "end" && when === "completed",
  );
  return [...new Set([...owed.filter(({ before }) => before === "end"), ...due].map(({ visit }) => visit))];
}
