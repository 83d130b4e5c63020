import { definePolicy, defineState, type Policy, refuse, type StateKey, veto, vouch } from "@phasekit/core";
import { contractFor, type ContractSet } from "./contract-set.ts";
import { artifactPathFor } from "./identifier.ts";

/** What a run's log says about the claims of the present phase. */
export interface ContractGateState {
  /** The last claim, and what became of it. */
  claim: { readonly id: string; readonly phase: string; readonly verdict: "waiting" | "approved" | "rejected"; readonly fix?: string } | undefined;
}

/** The gate's state, for policies that want to read it. */
export const contractGateState: StateKey<ContractGateState> = defineState<ContractGateState>("contracts.gate");

/**
 * Objects to a finish as long as the contract of the present phase is not met: nothing was claimed, or the last claim was
 * rejected. A claim that waits for a judge lets the run end, unverified; an accepted one vouches for it.
 */
export function contractGate({ contracts }: { readonly contracts: ContractSet }): Policy<ContractGateState> {
  return definePolicy<ContractGateState>({
    name: "contract-gate",
    key: contractGateState,
    initial: () => ({ claim: undefined }),
    observe: {
      "claim.submitted": (state, { claim, phase }, run) => { state.claim = { id: claim, phase: phase ?? run.phase, verdict: "waiting" }; },
      "verdict.given": (state, { claim, verdict, fix }) => {
        if (state.claim !== undefined && (claim === undefined || claim === state.claim.id)) state.claim = { ...state.claim, verdict, ...(fix !== undefined && { fix }) };
      },
    },
    decide: {
      "finish.requested": (run, { claim }) => {
        const contract = contractFor(contracts, run.phase);
        if (contract === undefined) return undefined;
        const own = claim?.phase === run.phase ? claim : undefined;
        if (own?.verdict === "approved") return vouch({ evidence: { claim: own.id } });
        if (own?.verdict === "waiting") return undefined;
        // The run has moved on with its item: the phase before was accepted, this one was only just entered.
        if (own === undefined && claim?.verdict === "approved" && run.turnsInPhase === 0) return vouch({ evidence: { claim: claim.id } });
        const what = own?.fix === undefined ? contract.done_when.map((entry) => entry.replaceAll("_", " ")).join("; ") : own.fix;
        return veto(`Phase "${run.phase}" is not complete under its contract. ${own === undefined ? "Call complete_phase when it is" : "The last claim was rejected; fix it and call complete_phase again"}${what === "" ? "." : `: ${what}.`}`);
      },
    },
  });
}

/**
 * Refuses writes that a document phase has no business making: as long as another phase follows, only the phase's own
 * artifact may be written. The last phase may write anything. Carried out in mode `gate`.
 */
export function artifactOnly({ contracts, identifier }: { readonly contracts: ContractSet; readonly identifier: string }): Policy {
  return definePolicy({
    name: "artifact-only",
    decide: {
      "tool.requested": (run, _state, { meaning }) => {
        const contract = contractFor(contracts, run.phase);
        if (contract === undefined || contract.next_phase === null || contract.artifact_path === undefined || meaning.mutates !== true) return undefined;
        const path = artifactPathFor(contract.artifact_path, identifier);
        const targets = meaning.targets ?? [];
        const own = targets.length > 0 && targets.every((target) => target === path || (target.startsWith("/") && target.endsWith(`/${path}`) && !target.includes("/../")));
        return own ? undefined : refuse(`In phase "${run.phase}" only ${path} may be written. Other files are for the last phase.`);
      },
    },
  });
}
