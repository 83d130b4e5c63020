import type { JsonObject, PlainTool, PlainToolResult, Run, RunPort } from "@phasekit/core";
import { z } from "zod";
import { type Claim, claimInputSchema, issueTexts } from "./claim-schema.ts";
import { contractFor } from "./contract-set.ts";
import { decideClaim } from "./decide-claim.ts";
import { errorText } from "./error-text.ts";
import { moveRun, tellRun } from "./follow-item.ts";
import { type ClaimResult, processClaim, type ProcessOptions } from "./process-claims.ts";
import { hashContent } from "./sha256.ts";
import { runChecks } from "./structural-checks.ts";
import { readArtifact, submitClaim, toSnapshot } from "./submit-claim.ts";
import type { WorkItem } from "./work-item.ts";
import type { WorkStore } from "./work-store.ts";

/** What the tool is bound to: it can claim for this item and this run and no other. */
export interface CompletePhaseOptions extends ProcessOptions {
  readonly store: WorkStore;
  readonly item: string;
  /** The run that follows the item; its log gets the claim and what became of it. */
  readonly run?: RunPort | Run;
}

/** Rejected early: what to fix, in the same turn, without a claim and without a penalty. */
const EARLY_CHECKS = ["artifact_exists", "min_length_reached", "is_markdown"] as const;

/**
 * The tool an agent calls when a phase is complete. What is wrong with the claim or the artifact's form it is told at
 * once; a claim that could pass is recorded and decided, and when the item advances the run follows it.
 */
export function completePhaseTool(options: CompletePhaseOptions): PlainTool {
  return {
    name: "complete_phase",
    description: "Says that the present phase is complete. Checks the artifact at once and says what is missing; when all is well the claim is recorded and decided.",
    inputSchema: z.toJSONSchema(claimInputSchema, { io: "input" }) as JsonObject,
    execute: async (input) => {
      try {
        return await completePhase(input, options);
      } catch (error) {
        return refused("failed", `The claim was not recorded: ${errorText(error)}`);
      }
    },
  };
}

async function completePhase(input: unknown, options: CompletePhaseOptions): Promise<PlainToolResult> {
  const { store, item: itemId, run, contracts, artifacts } = options;
  const parsed = claimInputSchema.safeParse(input);
  if (!parsed.success) return refused("invalid", `The claim is wrong:\n${issueTexts(parsed.error).map((text) => `- ${text}`).join("\n")}`);
  const item = (await store.load(itemId))?.item;
  if (item === undefined) return refused("failed", `There is no item "${itemId}".`);
  const early = await checkEarly(parsed.data, item, options);
  if (early.length > 0) return refused("fix", `The phase is not complete yet. Fix this and call complete_phase again:\n${early.map((text) => `- ${text}`).join("\n")}`);

  const artifact = artifacts === undefined ? undefined : await readArtifact(item, contractFor(contracts, item.phase), artifacts);
  const claim = await submitClaim(store, { item: itemId, ...parsed.data }, {
    ...options,
    run: run?.id ?? "",
    // The same call again, also side by side, is the same claim.
    idempotencyKey: hashContent(JSON.stringify([run?.id ?? "", item.entry, parsed.data, artifact === undefined ? null : toSnapshot(artifact), item.metrics.phase_rejection_count])),
  });
  run?.record({ type: "claim.submitted", claim: claim.id, item: itemId, phase: claim.completed_phase, data: { artifact_hash: claim.artifact_hash, contract_version: claim.contract_version } });
  const result = await processClaim(store, { item: itemId, claim: claim.id }, options);
  if (run !== undefined) tellRun(run, result.claim);
  if (run !== undefined && "transition" in run && result.outcome === "advanced") moveRun(run, { item: result.item, contracts, why: `claim ${claim.id} was accepted`, message: claim.summary });
  return render(result);
}

/** Everything that is wrong and can be put right in this turn. */
async function checkEarly(input: z.output<typeof claimInputSchema>, item: WorkItem, { contracts, artifacts, checks, triggers }: CompletePhaseOptions): Promise<readonly string[]> {
  const contract = contractFor(contracts, item.phase);
  if (input.completed_phase !== item.phase) return [`The item is in phase "${item.phase}", not in "${input.completed_phase}".`];
  if (contract === undefined) return [];
  const artifact = artifacts === undefined ? { status: "none" as const } : await readArtifact(item, contract, artifacts);
  const looked = artifact.status === "none" ? [] : runChecks(EARLY_CHECKS, { artifact, contract, claim: input }, checks).flatMap(({ problems }) => problems);
  // The rules themselves say the rest, on the claim as it would be recorded.
  const draft: Claim = { ...input, id: "draft", category: "phase_completion", item_id: item.id, run_id: null, entry: item.entry, contract_hash: null, snapshot: null, idempotency_key: "", content_hash: "", created_at: "", processed: false };
  const decision = decideClaim({ item: { ...item, held: null }, claim: draft, contracts, artifact, verdicts: [], checks, triggers });
  const decided = decision.decision === "reject" ? decision.fix.split("\n") : [];
  return [...new Set([...(contract.validation.mode === "trust" ? [] : looked), ...decided])];
}

function render(result: ClaimResult): PlainToolResult {
  const { outcome, claim, item } = result;
  switch (outcome) {
    case "advanced":
      return accepted(outcome, item.completed ? `Phase "${claim.completed_phase}" is complete; it was the last one.` : `Phase "${claim.completed_phase}" is complete. Now in "${item.phase}".`, { claim: claim.id, phase: item.phase });
    case "rejected":
      return refused(outcome, `The claim was rejected (${result.reason}). To fix:\n${result.fix}`, { claim: claim.id, reason: result.reason });
    case "waiting":
      return accepted(outcome, `The claim is recorded and waits: ${result.reason} Nothing more to do in this phase until it is decided.`, { claim: claim.id });
    case "stale":
      return refused(outcome, `The claim came too late: the item is in phase "${item.phase}".`, { claim: claim.id, phase: item.phase });
  }
}

function accepted(outcome: string, text: string, data: JsonObject = {}): PlainToolResult {
  return { ok: true, text, data: { outcome, ...data } };
}

function refused(outcome: string, text: string, data: JsonObject = {}): PlainToolResult {
  return { ok: false, text, data: { outcome, ...data } };
}
