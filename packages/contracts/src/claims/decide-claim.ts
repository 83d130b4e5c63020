import type { Artifact } from "../contract/artifact.ts";
import { decideSkip } from "./decide-skip.ts";
import type { Claim } from "./claim-schema.ts";
import type { Contract } from "../contract/contract-schema.ts";
import { type ContractSet, contractFor } from "../contract/contract-set.ts";
import { errorText } from "../error-text.ts";
import { promotionProblem } from "../contract/relative-path.ts";
import { checksOf, runChecks, type StructuralChecks } from "../contract/structural-checks.ts";
import { type Escalation, type EscalationTriggers, findEscalations } from "../triggers/escalation-triggers.ts";
import type { Verdict } from "../reviews/verdict-schema.ts";
import type { WorkItem } from "../items/work-item.ts";

/** Outcome of a claim: in the decision, in the store, in the answer of the tool and in the log. */
export type ClaimOutcome = ClaimDecision["outcome"];

/** Why a claim is rejected. */
export type RejectCode =
  | "contract_version"
  | "contract_changed"
  | "next_phase"
  | "skip_refused"
  | "artifact_path"
  | "promotion_refused"
  | "artifact_missing"
  | "artifact_refused"
  | "sections_missing"
  | "check_failed"
  | "verdict_rejected";

/** Decision on a claim: its outcome, the reason as a code for programs, and as a text for people and agents. */
export type ClaimDecision =
  | {
      readonly outcome: "stale";
      /** `superseded`: another claim advanced the item first. */
      readonly code: "stale_phase" | "stale_entry" | "item_completed" | "superseded";
      readonly text: string;
    }
  | {
      readonly outcome: "rejected";
      readonly code: RejectCode;
      readonly text: string;
      /** Steps for the agent, one per line. */
      readonly fix: string;
      readonly verdict?: Verdict;
    }
  | {
      readonly outcome: "waiting";
      readonly code: "judge" | "held" | "contract_missing" | "check_threw";
      readonly text: string;
      readonly escalations: readonly Escalation[];
    }
  | {
      readonly outcome: "advanced";
      /** How the claim was accepted. */
      readonly code: "structural" | "judge" | "trust";
      readonly text: string;
      /** Next phase; null if the last one is complete. */
      readonly to: string | null;
      readonly skipped: readonly string[];
      readonly escalations: readonly Escalation[];
      readonly verdict?: Verdict;
    };

/** Input of `decideClaim()`. */
export interface ClaimCase {
  readonly item: WorkItem;
  readonly claim: Claim;
  readonly contracts: ContractSet;
  /** The artifact at claim time. */
  readonly artifact: Artifact;
  /** Verdicts of the item, oldest first. */
  readonly verdicts: readonly Verdict[];
  /** The change as a unified diff, for the triggers. */
  readonly diff?: string | undefined;
  readonly checks?: StructuralChecks | undefined;
  readonly triggers?: EscalationTriggers | undefined;
}

/**
 * Decides a claim. Pure, in the documented order: phase, contract, version, next phase, artifact, checks, mode and
 * escalation, verdict. A stale claim is dropped first, without a penalty.
 */
export function decideClaim(given: ClaimCase): ClaimDecision {
  const early = decideWithoutArtifact(given);
  if (early !== undefined) return early;
  const { item, claim, contracts, artifact } = given;
  const contract = contractFor(contracts, item.phase);
  if (contract === undefined) return wait("contract_missing", missingContract(item.phase));
  const skip = decideSkip(claim, contracts);
  if (!skip.ok) return refuseSkip(skip.text);
  const structure = checkStructure(given, contract);
  if (structure !== undefined) return structure;

  const { mode } = contract.validation;
  // Mode `trust` neither escalates nor asks a judge, but a skip past a judge's phase always needs a verdict.
  const found =
    mode === "trust"
      ? []
      : findEscalations(contract.validation.escalate_if, { claim, artifact, diff: given.diff }, given.triggers);
  const escalations = [...found, ...skip.escalations];
  const to = claim.skip_to ?? contract.next_phase;
  if (mode !== "judge" && escalations.length === 0)
    return { ...advance(item, to), code: mode, skipped: skip.skipped, escalations };

  const verdict = findVerdict(given, contract);
  if (verdict === undefined)
    return {
      outcome: "waiting",
      code: "judge",
      text:
        mode === "judge"
          ? "The contract requires a judge."
          : `A judge must look at it, because of: ${escalations.map(({ trigger }) => trigger).join(", ")}.`,
      escalations,
    };
  if (verdict.verdict === "rejected")
    return { ...reject("verdict_rejected", verdict.reason, verdict.fix_instructions ?? verdict.reason), verdict };
  return { ...advance(item, to), code: "judge", skipped: skip.skipped, escalations, verdict };
}

/**
 * Decides what needs no artifact: a stale claim, a held item, contract, version, next phase, skip and promotion.
 * `undefined` if the artifact has to be read.
 */
export function decideWithoutArtifact(given: Omit<ClaimCase, "artifact">): ClaimDecision | undefined {
  const { item, claim, contracts } = given;
  if (item.completed)
    return { outcome: "stale", code: "item_completed", text: `Item "${item.id}" has completed its last phase.` };
  if (item.phase !== claim.completed_phase) {
    return {
      outcome: "stale",
      code: "stale_phase",
      text: `The claim is for "${claim.completed_phase}"; the item is in "${item.phase}".`,
    };
  }
  if (item.entry !== claim.entry)
    return {
      outcome: "stale",
      code: "stale_entry",
      text: `The claim belongs to an earlier entry of phase "${item.phase}".`,
    };
  if (item.held !== null) return wait("held", item.held);

  const contract = contractFor(contracts, item.phase);
  if (contract === undefined) return wait("contract_missing", missingContract(item.phase));
  const precondition = checkPreconditions(given, contract);
  if (precondition !== undefined) return precondition;
  const skip = decideSkip(claim, contracts);
  if (!skip.ok) return refuseSkip(skip.text);
  if (claim.promote_to === null) return undefined;
  const problem = promotionProblem(claim.promote_to, contract.allow_promote_to);
  if (problem === undefined) return undefined;
  return reject(
    "promotion_refused",
    `promote_to: ${problem.detail}.`,
    "Leave out promote_to, or set it to a path the contract allows.",
  );
}

const missingContract = (phase: string): string => `Phase "${phase}" has no contract, so the claim cannot be decided.`;

function refuseSkip(text: string): ClaimDecision {
  return reject(
    "skip_refused",
    text,
    "Leave out skip_to, or set it to a later phase of the pipeline and add a skip_reason.",
  );
}

/** The hash that a verdict on this claim must have: of the artifact, or without one, of what the claim says. */
export function judgedHash(artifact: Artifact, { content_hash }: Claim): string {
  return artifact.status === "found" ? artifact.hash : content_hash;
}

function checkPreconditions(
  { item, claim }: Pick<ClaimCase, "item" | "claim">,
  contract: Contract,
): ClaimDecision | undefined {
  if (claim.contract_version !== contract.contract_version) {
    return reject(
      "contract_version",
      `The claim has contract_version ${claim.contract_version}; the contract has ${contract.contract_version}.`,
      `Read the contract of "${item.phase}" again and claim with contract_version ${contract.contract_version}.`,
    );
  }
  if (claim.contract_hash !== null && claim.contract_hash !== contract.hash) {
    return reject(
      "contract_changed",
      "The contract changed after the claim was made.",
      `Read the contract of "${item.phase}" again, update the artifact and claim again.`,
    );
  }
  const recommended = claim.recommended_next_phase;
  if (recommended !== contract.next_phase && (claim.skip_to === null || recommended !== claim.skip_to)) {
    return reject(
      "next_phase",
      `The claim recommends ${named(recommended)} as the next phase; the contract says ${named(contract.next_phase)}.`,
      `Claim with recommended_next_phase ${named(contract.next_phase)}.`,
    );
  }
  return undefined;
}

function checkStructure({ claim, artifact, checks }: ClaimCase, contract: Contract): ClaimDecision | undefined {
  const expected = artifact.status === "none" ? null : artifact.path;
  const expectedText = expected === null ? "no artifact" : `"${expected}"`;
  if (claim.artifact_path !== null && claim.artifact_path !== expected) {
    return reject(
      "artifact_path",
      `The claim names the artifact "${claim.artifact_path}"; the contract expects ${expectedText}.`,
      expected === null ? "Leave out artifact_path." : `Write the artifact to "${expected}".`,
    );
  }
  try {
    const findings = runChecks(checksOf(contract, checks), { artifact, contract, claim }, checks);
    const [first] = findings;
    if (first === undefined) return undefined;
    // Without an artifact, every other problem follows from that.
    const reported = first.check === "artifact_exists" ? [first] : findings;
    const problems = reported.flatMap((finding) => finding.problems);
    return reject(codeFor(first.check, artifact), problems.join(" "), problems.join("\n"));
  } catch (error) {
    // A check that throws says nothing about the artifact, so the agent gets no rejection.
    return wait("check_threw", `A structural check threw: ${errorText(error)}`);
  }
}

function codeFor(check: string, artifact: Artifact): RejectCode {
  if (check === "artifact_exists") return artifact.status === "refused" ? "artifact_refused" : "artifact_missing";
  return check === "required_sections_present" ? "sections_missing" : "check_failed";
}

/**
 * Finds the verdict on this claim: an unused one first, then any on the same artifact, contract, phase entry and skip.
 * A verdict on another artifact, an older contract or an earlier entry is never used.
 */
function findVerdict({ claim, artifact, verdicts }: ClaimCase, contract: Contract): Verdict | undefined {
  const hash = judgedHash(artifact, claim);
  const fitting = verdicts.filter(
    (verdict) =>
      verdict.phase === claim.completed_phase &&
      verdict.entry === claim.entry &&
      verdict.artifact_hash === hash &&
      verdict.contract_hash === contract.hash &&
      verdict.skip_to === claim.skip_to,
  );
  return fitting.findLast(({ processed }) => !processed) ?? fitting.at(-1);
}

function reject(code: RejectCode, text: string, fix: string): Extract<ClaimDecision, { readonly outcome: "rejected" }> {
  return { outcome: "rejected", code, text, fix };
}

function wait(code: "held" | "contract_missing" | "check_threw", text: string): ClaimDecision {
  return { outcome: "waiting", code, text, escalations: [] };
}

function advance(
  { phase }: WorkItem,
  to: string | null,
): { readonly outcome: "advanced"; readonly to: string | null; readonly text: string } {
  const next = to === null ? "it was the last one" : `now in "${to}"`;
  return { outcome: "advanced", to, text: `Phase "${phase}" is complete; ${next}.` };
}

function named(phase: string | null): string {
  return phase === null ? "none (null)" : `"${phase}"`;
}
