import { definePolicy, defineState, type Policy, refuse, type StateKey, veto, vouch } from "@phasekit/core";
import { contractFor, type ContractSet } from "./contract-set.ts";
import { artifactPathFor } from "./identifier.ts";

/** State of the claims of the current phase, from the run's log. */
export interface ContractGateState {
  /** The last claim and its verdict. */
  claim:
    | {
        readonly id: string;
        readonly phase: string;
        readonly verdict: "waiting" | "approved" | "rejected";
        readonly fix?: string;
      }
    | undefined;
}

/** Key of the gate's state. */
export const contractGateState: StateKey<ContractGateState> = defineState<ContractGateState>("contracts.gate");

/**
 * Vetoes a finish while the contract of the current phase is not met: there is no claim, or the last one was rejected.
 * A claim that waits for a judge lets the run end unverified; an accepted claim vouches for it.
 */
export function contractGate({ contracts }: { readonly contracts: ContractSet }): Policy {
  return definePolicy<ContractGateState>({
    name: "contract-gate",
    key: contractGateState,
    initial: () => ({ claim: undefined }),
    observe: {
      "claim.submitted": (state, { claim, phase }, run) => {
        state.claim = { id: claim, phase: phase ?? run.phase, verdict: "waiting" };
      },
      "verdict.given": (state, { claim, verdict, fix }) => {
        if (state.claim !== undefined && (claim === undefined || claim === state.claim.id))
          state.claim = { ...state.claim, verdict, ...(fix !== undefined && { fix }) };
      },
    },
    decide: {
      "finish.requested": (run, { claim }) => {
        const contract = contractFor(contracts, run.phase);
        if (contract === undefined) return undefined;
        const own = claim?.phase === run.phase ? claim : undefined;
        if (own?.verdict === "approved") return vouch({ evidence: { claim: own.id } });
        if (own?.verdict === "waiting") return undefined;
        // The run has followed its item: the previous phase was accepted, and this one was just entered.
        if (own === undefined && claim?.verdict === "approved" && run.turnsInPhase === 0)
          return vouch({ evidence: { claim: claim.id } });
        const what =
          own?.fix === undefined ? contract.done_when.map((entry) => entry.replaceAll("_", " ")).join("; ") : own.fix;
        const next =
          own === undefined
            ? "Call complete_phase when it is"
            : "The last claim was rejected; fix it and call complete_phase again";
        const details = what === "" ? "." : `: ${what}.`;
        return veto(`Phase "${run.phase}" is not complete under its contract. ${next}${details}`);
      },
    },
  });
}

/**
 * Refuses writes to other files than the phase's artifact in every phase but the last, which may write anything.
 * Enforced in mode `gate`.
 */
export function artifactOnly({
  contracts,
  identifier,
}: {
  readonly contracts: ContractSet;
  readonly identifier: string;
}): Policy {
  return definePolicy({
    name: "artifact-only",
    decide: {
      "tool.requested": (run, _state, { meaning }) => {
        const contract = contractFor(contracts, run.phase);
        if (
          contract === undefined ||
          contract.next_phase === null ||
          contract.artifact_path === undefined ||
          meaning.mutates !== true
        )
          return undefined;
        const path = artifactPathFor(contract.artifact_path, identifier);
        const targets = meaning.targets ?? [];
        const own =
          targets.length > 0 &&
          targets.every(
            (target) =>
              target === path || (target.startsWith("/") && target.endsWith(`/${path}`) && !target.includes("/../")),
          );
        return own
          ? undefined
          : refuse(`In phase "${run.phase}" you may write only ${path}. Change other files in the last phase.`);
      },
    },
  });
}
