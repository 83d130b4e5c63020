import type { Claim } from "./claim-schema.ts";
import { type ContractSet, contractFor, phasesAfter } from "../contract/contract-set.ts";
import type { Escalation } from "../triggers/escalation-triggers.ts";

/** Decision on a skip: the skipped phases and the escalations to a judge, or the refusal. */
export type SkipDecision =
  | { readonly ok: true; readonly skipped: readonly string[]; readonly escalations: readonly Escalation[] }
  | { readonly ok: false; readonly text: string };

/** Decides a skip: forward only, inside the pipeline, with a reason. A skip past a judge's phase needs a judge. */
export function decideSkip(
  { skip_to, skip_reason, completed_phase }: Pick<Claim, "skip_to" | "skip_reason" | "completed_phase">,
  contracts: ContractSet,
): SkipDecision {
  if (skip_to === null) return { ok: true, skipped: [], escalations: [] };
  const ahead = phasesAfter(contracts, completed_phase);
  const place = ahead.indexOf(skip_to);
  if (place === -1) {
    const problem =
      contractFor(contracts, skip_to) === undefined
        ? "is not a phase of the pipeline"
        : `does not come after "${completed_phase}"`;
    return { ok: false, text: `skip_to "${skip_to}" ${problem}.` };
  }
  if (place > 0 && (skip_reason === null || skip_reason.trim() === ""))
    return { ok: false, text: "A skip needs a skip_reason." };
  const skipped = ahead.slice(0, place);
  const judged = skipped.filter((phase) => contractFor(contracts, phase)?.validation.mode === "judge");
  return {
    ok: true,
    skipped,
    escalations: judged.map((phase) => ({
      trigger: "skip_past_judge",
      evidence: `Phase "${phase}" needs a judge and would be skipped: ${skip_reason ?? ""}`,
    })),
  };
}
