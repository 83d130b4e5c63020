import type { Contract } from "./contract-schema.ts";

/** The contracts of a pipeline, checked together. */
export interface ContractSet {
  /** Where a new item begins: the phase no other leads to. */
  readonly initial: string;
  readonly byPhase: Readonly<Record<string, Contract>>;
}

/** The contract of a phase, also for names that come from a store. */
export function contractFor({ byPhase }: ContractSet, phase: string): Contract | undefined {
  return Object.hasOwn(byPhase, phase) ? byPhase[phase] : undefined;
}

/** The phases that follow a phase, in order; empty for the last one and for one without a contract. */
export function phasesAfter(contracts: ContractSet, phase: string): readonly string[] {
  const found: string[] = [];
  for (let next = contractFor(contracts, phase)?.next_phase; next != null && !found.includes(next); next = contractFor(contracts, next)?.next_phase) found.push(next);
  return found;
}
