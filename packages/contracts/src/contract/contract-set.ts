import { ownValue } from "@phasekit/core/adapter";
import type { Contract } from "./contract-schema.ts";

/** A checked set of contracts: the pipeline of an item. */
export interface ContractSet {
  /** First phase of a new item: the one that no other phase leads to. */
  readonly initial: string;
  readonly byPhase: Readonly<Record<string, Contract>>;
}

/** Returns the contract of a phase, if there is one. Safe for names from a store. */
export function contractFor({ byPhase }: ContractSet, phase: string): Contract | undefined {
  return ownValue(byPhase, phase);
}

/** Returns the phases after a phase, in order; empty for the last one and for one without a contract. */
export function phasesAfter(contracts: ContractSet, phase: string): readonly string[] {
  const found: string[] = [];
  for (
    let next = contractFor(contracts, phase)?.next_phase;
    next != null && !found.includes(next);
    next = contractFor(contracts, next)?.next_phase
  )
    found.push(next);
  return found;
}

/** Returns the phases whose contract has an artifact. */
export function phasesWithArtifact({ byPhase }: ContractSet): readonly string[] {
  return Object.values(byPhase).flatMap(({ phase, artifact_path }) => (artifact_path === undefined ? [] : [phase]));
}
