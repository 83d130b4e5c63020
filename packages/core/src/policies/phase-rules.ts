import { refuse } from "./decision.ts";
import { matchesGlob } from "../text/glob.ts";
import type { Meaning } from "../events/meaning.ts";
import { type PhaseSpec, phaseSpec } from "../graph/phase-graph.ts";
import { definePolicy, type Policy } from "./policy.ts";
import { quote } from "../text/quote.ts";

/** Refuses tools and activities the present phase does not allow. Carried out in mode `gate`. */
export function phaseRules(): Policy {
  return definePolicy({
    name: "phase-rules",
    decide: {
      "tool.requested": (run, _state, { tool, meaning }) => {
        const spec = phaseSpec(run.graph, run.phase);
        const broken = spec === undefined ? undefined : brokenRule(spec, tool, meaning);
        if (spec === undefined || broken === undefined) return undefined;
        const purpose = spec.purpose === undefined ? "" : ` It is for: ${spec.purpose}`;
        return refuse(`${broken} in the phase ${quote(run.phase)}.${purpose}`);
      },
    },
  });
}

function brokenRule(
  { tools = {}, activities = {} }: PhaseSpec,
  tool: string,
  { activity, parts = [] }: Meaning,
): string | undefined {
  const matches = (pattern: string): boolean => matchesGlob(tool, pattern);
  if (tools.deny?.some(matches) === true || tools.allow?.some(matches) === false)
    return `The tool ${quote(tool)} is not used`;
  const denied = [activity, ...parts].find((done) => done !== undefined && activities.deny?.includes(done) === true);
  return denied === undefined ? undefined : `The activity ${quote(denied)} has no place`;
}
