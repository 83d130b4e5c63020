import { contractsOrThrow, checkContracts } from "../contract/check-contracts.ts";
import { type Contract, type ContractInput, contractSchema } from "../contract/contract-schema.ts";
import type { ContractSet } from "../contract/contract-set.ts";
import { hashContent } from "../sha256.ts";

/** Builds a contract for tests, without a file. Fields have defaults. */
export function buildContract(
  input: Partial<ContractInput> & { readonly phase: string },
  { body = "" }: { readonly body?: string } = {},
): Contract {
  const front = { contract_version: 1, next_phase: null, ...input };
  return { ...contractSchema.parse(front), body, hash: hashContent(JSON.stringify([front, body])) };
}

/** Builds a pipeline for tests. By default, each contract leads to the next one. */
export function buildContracts(inputs: readonly (Partial<ContractInput> & { readonly phase: string })[]): ContractSet {
  const contracts = inputs.map((input, index) =>
    buildContract({ next_phase: inputs[index + 1]?.phase ?? null, ...input }),
  );
  return contractsOrThrow(checkContracts(contracts));
}
