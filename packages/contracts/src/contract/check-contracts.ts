import { builtInChecks, builtInTriggers, type Contract } from "./contract-schema.ts";
import { type ContractIssue, hasErrors, renderContractIssues } from "./contract-issue.ts";
import { type ContractNames, type NamesDraft, placeOf } from "./contract-places.ts";
import type { ContractSet } from "./contract-set.ts";
import { brokenContracts } from "../errors.ts";

/** A valid set of contracts, or every issue. */
export type CheckedContracts =
  | { readonly ok: true; readonly contracts: ContractSet; readonly warnings: readonly ContractIssue[] }
  | { readonly ok: false; readonly issues: readonly ContractIssue[] };

/** Names of the checks and triggers that the host provides besides the built-in ones. */
export interface KnownNames {
  readonly checks?: readonly string[];
  readonly triggers?: readonly string[];
}

/**
 * Checks contracts as a set: one per phase, every `next_phase` exists, one first phase, every phase leads to the end,
 * and every check and trigger is known.
 */
export function checkContracts(contracts: readonly Contract[], known: KnownNames = {}): CheckedContracts {
  const issues: ContractIssue[] = [];
  const report = (contract: Contract | undefined, message: string, ...path: readonly string[]): void =>
    void issues.push(issueIn(contract, path, { message }));

  const byPhase = new Map<string, Contract>();
  for (const contract of contracts) {
    const first = byPhase.get(contract.phase);
    if (first === undefined) byPhase.set(contract.phase, contract);
    else
      report(contract, `phase "${contract.phase}" already has a contract, in ${first.file ?? "another file"}`, "phase");
  }
  const phases = [...byPhase.keys()];
  if (phases.length === 0) report(undefined, "there are no contracts");
  for (const contract of byPhase.values()) {
    const { next_phase, phase } = contract;
    if (next_phase !== null && !byPhase.has(next_phase))
      report(contract, `next_phase "${next_phase}" has no contract; use one of: ${phases.join(", ")}`, "next_phase");
    if (neverEnds(phase, byPhase))
      report(contract, `phase "${phase}" leads into a cycle that never ends`, "next_phase");
    issues.push(...unknownNames(contract, known));
  }
  const beginnings = phases.filter((phase) => !contracts.some(({ next_phase }) => next_phase === phase));
  if (beginnings.length > 1)
    report(
      undefined,
      `there are several first phases: ${beginnings.join(", ")}; every phase but one must be a next_phase`,
    );
  const [initial] = beginnings;
  return hasErrors(issues) || initial === undefined
    ? { ok: false, issues }
    : { ok: true, contracts: { initial, byPhase: Object.fromEntries(byPhase) }, warnings: issues };
}

/**
 * Returns the contracts, or throws an error that lists every issue.
 *
 * @throws BROKEN_CONTRACTS
 */
export function contractsOrThrow(checked: CheckedContracts): ContractSet {
  if (!checked.ok) throw brokenContracts(renderContractIssues(checked.issues));
  return checked.contracts;
}

/** True if the way from a phase is longer than the list of phases. */
function neverEnds(phase: string, byPhase: ReadonlyMap<string, ContractNames>): boolean {
  let here = phase;
  for (const _ of byPhase) here = byPhase.get(here)?.next_phase ?? "";
  return byPhase.has(here);
}

/** Finds the checks and triggers that do not exist. */
export function unknownNames(
  contract: NamesDraft,
  { checks = [], triggers = [] }: KnownNames,
): readonly ContractIssue[] {
  const { done_when, validation } = contract;
  const all = [...builtInChecks, ...checks];
  // The contract relies on these names, so an unknown one is an error.
  const needed = (what: string, field: keyof typeof validation, known: readonly string[]): readonly ContractIssue[] =>
    validation[field].flatMap((name, place) =>
      known.includes(name)
        ? []
        : [
            issueIn(contract, ["validation", field, place], {
              code: "UNKNOWN_NAME",
              message: `${what} "${name}" is unknown; use one of: ${known.join(", ")}`,
            }),
          ],
    );
  return [
    ...needed("structural check", "structural_checks", all),
    ...needed("trigger", "escalate_if", [...builtInTriggers, ...triggers]),
    // done_when is prose for the agent; only an entry that looks like a check is suspicious.
    ...done_when.flatMap((entry, place) =>
      all.includes(entry) || !/^[a-z]+(?:_[a-z]+)+$/.test(entry)
        ? []
        : [
            issueIn(contract, ["done_when", place], {
              severity: "warning",
              code: "UNKNOWN_NAME",
              message: `done_when "${entry}" looks like a check, but no check has this name; only the agent reads it`,
            }),
          ],
    ),
  ];
}

const issueIn = (
  contract: NamesDraft | undefined,
  path: readonly PropertyKey[],
  issue: Pick<ContractIssue, "message"> & Partial<ContractIssue>,
): ContractIssue => ({
  severity: "error",
  code: "SET",
  file: contract?.file ?? "contracts",
  ...placeOf(contract, path),
  ...issue,
});
