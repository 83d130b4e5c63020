import { definePhaseGraph, type PhaseEdge, type PhaseGraph, type PhaseSpec } from "@phasekit/core";
import type { Contract } from "./contract-schema.ts";
import type { ContractSet } from "./contract-set.ts";
import { renderContractPrompt } from "./render-contract-prompt.ts";

// A run follows its item: only a judge or a user moves it, never the agent.
const AFTER_A_CLAIM = ["judge", "user"] satisfies PhaseEdge["by"];

/**
 * Converts contracts to a phase graph for a run. A phase can be left only after its claim was accepted. With an
 * `identifier`, the phases have the contract's prompt as guidance.
 */
export function contractsToGraph(
  { initial, byPhase }: ContractSet,
  { name = "contracts", identifier }: { readonly name?: string; readonly identifier?: string } = {},
): PhaseGraph {
  const spec = (contract: Contract): PhaseSpec => ({
    next: contract.next_phase === null ? [] : [{ to: contract.next_phase, by: AFTER_A_CLAIM }],
    exit: contract.done_when,
    ...(contract.dispatch_profile !== undefined && { agents: [contract.dispatch_profile] }),
    ...(contract.model !== undefined && { model: contract.model }),
    ...(identifier !== undefined && { guidance: renderContractPrompt(contract, { identifier }) }),
    final: contract.next_phase === null,
    data: {
      contract_version: contract.contract_version,
      artifact_type: contract.artifact_type ?? null,
      mode: contract.validation.mode,
    },
  });
  return definePhaseGraph<string>({
    name,
    initial,
    phases: Object.fromEntries(Object.entries(byPhase).map(([phase, contract]) => [phase, spec(contract)])),
  });
}
