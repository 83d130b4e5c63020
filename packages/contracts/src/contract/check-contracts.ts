import { builtInChecks, builtInTriggers, type Contract } from "./contract-schema.ts";
import { type ContractIssue, hasErrors, renderContractIssues } from "./contract-issue.ts";
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
export function checkContracts(
  contracts: readonly Contract[],
  { checks = [], triggers = [] }: KnownNames = {},
): CheckedContracts {
  const issues: ContractIssue[] = [];
  const report = (contract: Contract | undefined, message: string, more: Partial<ContractIssue> = {}): void =>
    void issues.push({
      severity: "error",
      code: "SET",
      message,
      file: contract?.file ?? "contracts",
      line: 1,
      column: 1,
      ...more,
    });

  const byPhase = new Map<string, Contract>();
  for (const contract of contracts) {
    const first = byPhase.get(contract.phase);
    if (first === undefined) byPhase.set(contract.phase, contract);
    else report(contract, `phase "${contract.phase}" already has a contract, in ${first.file ?? "another file"}`);
  }
  if (byPhase.size === 0) report(undefined, "there are no contracts");
  for (const contract of byPhase.values()) {
    const { next_phase, phase } = contract;
    if (next_phase !== null && !byPhase.has(next_phase))
      report(contract, `next_phase "${next_phase}" has no contract; use one of: ${[...byPhase.keys()].join(", ")}`);
    if (neverEnds(phase, byPhase)) report(contract, `phase "${phase}" leads into a cycle that never ends`);
    for (const issue of unknownNames(contract, [...builtInChecks, ...checks], [...builtInTriggers, ...triggers]))
      report(contract, issue.message, issue);
  }
  const targets = new Set([...byPhase.values()].map(({ next_phase }) => next_phase));
  const beginnings = [...byPhase.keys()].filter((phase) => !targets.has(phase));
  if (beginnings.length > 1)
    report(
      undefined,
      `there are several first phases: ${beginnings.join(", ")}; every phase but one must be a next_phase`,
    );
  const [initial] = beginnings;
  if (hasErrors(issues) || initial === undefined) return { ok: false, issues };
  return { ok: true, contracts: { initial, byPhase: Object.fromEntries(byPhase) }, warnings: issues };
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

function neverEnds(phase: string, byPhase: ReadonlyMap<string, Contract>): boolean {
  const seen = new Set<string>();
  for (let here: string | null | undefined = phase; here != null; here = byPhase.get(here)?.next_phase) {
    if (seen.has(here)) return true;
    seen.add(here);
  }
  return false;
}

function unknownNames(
  contract: Contract,
  checks: readonly string[],
  triggers: readonly string[],
): readonly Pick<ContractIssue, "message" | "severity" | "code">[] {
  const { done_when, validation } = contract;
  const unknown = (what: string, name: string, known: readonly string[]) =>
    `${what} "${name}" is unknown; use one of: ${known.join(", ")}`;
  return [
    // The contract relies on these names, so an unknown one is an error.
    ...validation.structural_checks
      .filter((name) => !checks.includes(name))
      .map((name) => ({
        severity: "error" as const,
        code: "UNKNOWN_NAME" as const,
        message: unknown("structural check", name, checks),
      })),
    ...validation.escalate_if
      .filter((name) => !triggers.includes(name))
      .map((name) => ({
        severity: "error" as const,
        code: "UNKNOWN_NAME" as const,
        message: unknown("trigger", name, triggers),
      })),
    // done_when is prose for the agent; only an entry that looks like a check is suspicious.
    ...done_when
      .filter((entry) => /^[a-z]+(?:_[a-z]+)+$/.test(entry) && !checks.includes(entry))
      .map((entry) => ({
        severity: "warning" as const,
        code: "UNKNOWN_NAME" as const,
        message: `done_when "${entry}" looks like a check, but no check has this name; only the agent reads it`,
      })),
  ];
}
