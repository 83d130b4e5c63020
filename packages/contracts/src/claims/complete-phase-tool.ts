import type { JsonObject, PlainTool, PlainToolResult, Run, RunPort } from "@phasekit/core";
import { z } from "zod";
import { artifactAsSource } from "../contract/artifact.ts";
import { type Claim, claimInputSchema, issueTexts } from "./claim-schema.ts";
import { contractFor, phasesWithArtifact } from "../contract/contract-set.ts";
import { type ClaimDecision, decideClaim, decideWithoutArtifact } from "./decide-claim.ts";
import { errorText } from "../error-text.ts";
import { noArtifactSource } from "../errors.ts";
import { moveRun, reportToRun } from "../items/follow-item.ts";
import { type ClaimResult, processClaim, type ProcessOptions } from "./process-claims.ts";
import { hashContent } from "../sha256.ts";
import { readArtifact, submitClaim, toSnapshot } from "./submit-claim.ts";
import type { WorkItem } from "../items/work-item.ts";
import type { WorkStore } from "../stores/work-store.ts";

/** Options for the tool of one item. */
export interface CompletePhaseOptions {
  /** The run that follows the item. Its log records the claim and its outcome. @default none */
  readonly run?: RunPort | Run;
}

interface ToolContext extends CompletePhaseOptions {
  readonly store: WorkStore;
  readonly item: string;
  readonly options: ProcessOptions;
}

/**
 * Tool that an agent calls when a phase is complete. The claim is decided by the rules of a tick. If they would reject
 * it for something the agent can fix, the answer lists that and nothing is recorded. Otherwise the claim is recorded
 * and decided, and if the item advances, the run follows it.
 *
 * @throws NO_ARTIFACT_SOURCE if a contract has an artifact and `artifacts` is missing
 */
export function completePhaseTool(context: ToolContext): PlainTool {
  const { contracts, artifacts } = context.options;
  const unread = artifacts === undefined ? phasesWithArtifact(contracts) : [];
  if (unread[0] !== undefined) throw noArtifactSource(unread[0]);
  return {
    name: "complete_phase",
    description:
      "Claims that the current phase is complete. Checks the artifact and answers with what is missing. " +
      "If nothing is missing, the claim is recorded and decided.",
    inputSchema: z.toJSONSchema(claimInputSchema, { io: "input" }) as JsonObject,
    execute: async (input) => {
      try {
        return await completePhase(input, context);
      } catch (error) {
        return { ok: false, text: `The claim was not recorded: ${errorText(error)}` };
      }
    },
  };
}

async function completePhase(
  input: unknown,
  { store, item: itemId, run, options }: ToolContext,
): Promise<PlainToolResult> {
  const { contracts, artifacts, checks, triggers } = options;
  const parsed = claimInputSchema.safeParse(input);
  if (!parsed.success) {
    const head = "The claim is invalid.";
    const fix = issueTexts(parsed.error).join("\n");
    return notRecorded({ outcome: "rejected", code: "claim_invalid", text: head, fix }, { head });
  }
  const item = (await store.load(itemId))?.item;
  if (item === undefined) return { ok: false, text: `There is no work item "${itemId}".` };
  // An item on hold takes claims; they wait. What is wrong with them is still said now.
  const draft = { item: { ...item, held: null }, claim: draftOf(parsed.data, item), contracts, verdicts: [] };
  const wrong = decideWithoutArtifact(draft);
  if (isFinal(wrong)) return notRecorded(wrong);
  // Read once: the claim keeps the text that is checked here, even if the file changes meanwhile.
  const artifact =
    artifacts === undefined ? undefined : await readArtifact(item, contractFor(contracts, item.phase), artifacts);
  const early = wrong ?? decideClaim({ ...draft, artifact: artifact ?? { status: "none" }, checks, triggers });
  if (isFinal(early)) return notRecorded(early);

  const claim = await submitClaim(
    store,
    { item: itemId, ...parsed.data },
    {
      ...options,
      ...(artifact !== undefined && { artifacts: artifactAsSource(artifact) }),
      run: run?.id ?? "",
      // A repeated call, also a concurrent one, is one claim.
      idempotencyKey: hashContent(
        JSON.stringify([
          run?.id ?? "",
          item.entry,
          parsed.data,
          artifact === undefined ? null : toSnapshot(artifact),
          item.metrics.phase_rejection_count,
        ]),
      ),
    },
  );
  run?.record({
    type: "claim.submitted",
    claim: claim.id,
    item: itemId,
    phase: claim.completed_phase,
    data: { artifact_hash: claim.artifact_hash, contract_version: claim.contract_version },
  });
  const decided = await processClaim(store, { item: itemId, claim: claim.id }, options);
  if (run !== undefined) reportToRun(run, decided.claim);
  if (run !== undefined && "transition" in run && decided.result.outcome === "advanced")
    moveRun(run, { item: decided.item, contracts, why: `claim ${claim.id} was accepted`, message: claim.summary });
  return render(decided.result, decided.item);
}

type Refusal = Pick<ClaimResult, "code" | "text" | "fix"> & { readonly outcome: "stale" | "rejected" };

/** True for a decision that no judge and no later tick can change. */
function isFinal(
  decision: ClaimDecision | undefined,
): decision is Extract<ClaimDecision, { readonly outcome: Refusal["outcome"] }> {
  return decision?.outcome === "rejected" || decision?.outcome === "stale";
}

/** The answer to a claim that was not recorded: it costs no rejection. */
function notRecorded(
  { outcome, code, text, fix }: Refusal,
  { head = "The phase is not complete yet." }: { readonly head?: string } = {},
): PlainToolResult {
  const data = { outcome, code };
  if (fix === undefined) return { ok: false, text: `The claim was not recorded. ${text}`, data };
  const steps = fix.split("\n").map((line) => `- ${line}`);
  return { ok: false, text: [`${head} Fix this and call complete_phase again:`, ...steps].join("\n"), data };
}

/** The claim as it would be recorded. */
function draftOf(input: z.output<typeof claimInputSchema>, item: WorkItem): Claim {
  return {
    ...input,
    id: "draft",
    category: "phase_completion",
    item_id: item.id,
    run_id: null,
    entry: item.entry,
    contract_hash: null,
    snapshot: null,
    idempotency_key: "",
    content_hash: "",
    created_at: "",
    processed: false,
  };
}

/** The answer to a recorded claim. */
function render({ outcome, code, text, fix = text, claim }: ClaimResult, { phase }: WorkItem): PlainToolResult {
  const data = { outcome, code, claim, phase };
  switch (outcome) {
    case "advanced":
      return { ok: true, text, data };
    case "rejected":
      return {
        ok: false,
        text: `The claim was rejected (${code}). Fix this and call complete_phase again:\n${fix}`,
        data,
      };
    case "waiting":
      return {
        ok: true,
        text: `The claim is recorded and waits for a decision. ${text} Do nothing more in this phase until then.`,
        data,
      };
    case "stale":
      return { ok: false, text: `The claim is stale: ${text}`, data };
  }
}
