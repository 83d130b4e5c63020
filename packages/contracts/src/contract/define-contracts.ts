import { checkContracts, contractsOrThrow, type KnownNames } from "./check-contracts.ts";
import type { ContractIssue } from "./contract-issue.ts";
import { type Contract, type ContractInput, contractSchema } from "./contract-schema.ts";
import type { ContractSet } from "./contract-set.ts";
import { checkFields } from "./parse-contract.ts";
import { schemaIssueText } from "./schema-issue.ts";
import { hashContent } from "../sha256.ts";

/** A contract as an object: the fields of a contract file, of which only the phase is required. */
export type ContractDefinition = Partial<ContractInput> & {
  readonly phase: string;
  /** Instructions for the agent; the text below the front matter in a file. @default none */
  readonly body?: string;
};

/**
 * Defines a pipeline without files. By default a contract has version 1 and leads to the next one in the list.
 *
 * @example
 * const contracts = defineContracts([{ phase: "plan", validation: { mode: "judge" } }, { phase: "ready" }]);
 * @throws BROKEN_CONTRACTS, with every issue
 */
export function defineContracts(definitions: readonly ContractDefinition[], known: KnownNames = {}): ContractSet {
  const contracts: Contract[] = [];
  const issues: ContractIssue[] = [];
  for (const [index, { body = "", ...fields }] of definitions.entries()) {
    const front = { contract_version: 1, next_phase: definitions[index + 1]?.phase ?? null, ...fields };
    const file = `contracts[${index}]`;
    const report = (message: string): void =>
      void issues.push({ severity: "error", code: "FIELD", message, file, line: 1, column: 1 });
    const parsed = contractSchema.safeParse(front);
    if (!parsed.success) {
      for (const issue of parsed.error.issues) report(schemaIssueText(issue));
      continue;
    }
    const contract = { ...parsed.data, body, hash: hashContent(JSON.stringify([front, body])) };
    for (const { message } of checkFields(contract)) report(message);
    contracts.push(contract);
  }
  return contractsOrThrow(issues.length > 0 ? { ok: false, issues } : checkContracts(contracts, known));
}
