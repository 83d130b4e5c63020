import type { JsonObject, PlainTool, PlainToolResult, Run, RunPort } from "@phasekit/core";
import { z } from "zod";
import { type Artifact, artifactAsSource } from "../contract/artifact.ts";
import { type Claim, claimInputSchema, issueTexts } from "./claim-schema.ts";
import { contractFor, phasesWithArtifact } from "../contract/contract-set.ts";
import { decideClaim, decideWithoutArtifact } from "./decide-claim.ts";
import { errorText } from "../error-text.ts";
import { noArtifactSource } from "../errors.ts";
import { moveRun, reportToRun } from "../items/follow-item.ts";
import { type ClaimResult, processClaim, type ProcessOptions } from "./process-claims.ts";
import { hashContent } from "../sha256.ts";
import { runChecks } from "../contract/structural-checks.ts";
import { readArtifact, submitClaim, toSnapshot } from "./submit-claim.ts";
import type { WorkItem } from "../items/work-item.ts";
import type { WorkStore } from "../stores/work-store.ts";

/** Options for `completePhaseTool()`. The tool can claim only for this item and run. */
export interface CompletePhaseOptions extends ProcessOptions {
  readonly store: WorkStore;
  readonly item: string;
  /** The run that follows the item. Its log records the claim and its outcome. */
  readonly run?: RunPort | Run;
}

/** Checks that run before a claim is recorded. Their problems cost no rejection. */
const EARLY_CHECKS = ["artifact_exists", "min_length_reached", "is_markdown"] as const;

/**
 * Tool that an agent calls when a phase is complete. It answers with the problems of the claim and the artifact, if
 * there are any. Otherwise the claim is recorded and decided, and if the item advances, the run follows it.
 *
 * @throws NO_ARTIFACT_SOURCE if a contract has an artifact and `artifacts` is missing
 */
export function completePhaseTool(options: CompletePhaseOptions): PlainTool {
  const unread = options.artifacts === undefined ? phasesWithArtifact(options.contracts) : [];
  if (unread[0] !== undefined) throw noArtifactSource(unread[0]);
  return {
    name: "complete_phase",
    description:
      "Claims that the current phase is complete. Checks the artifact and answers with what is missing. " +
      "If nothing is missing, the claim is recorded and decided.",
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
  if (!parsed.success)
    return refused(
      "invalid",
      `The claim is invalid:\n${issueTexts(parsed.error)
        .map((text) => `- ${text}`)
        .join("\n")}`,
    );
  const item = (await store.load(itemId))?.item;
  if (item === undefined) return refused("failed", `There is no work item "${itemId}".`);
  const wrong = checkWithoutArtifact(parsed.data, { item, contracts });
  if (wrong.length > 0) return notYet(wrong);
  // Read once: the claim keeps the text that is checked here, even if the file changes meanwhile.
  const artifact =
    artifacts === undefined ? undefined : await readArtifact(item, contractFor(contracts, item.phase), artifacts);
  const early = checkEarly(parsed.data, { item, artifact, options });
  if (early.length > 0) return notYet(early);

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
  const result = await processClaim(store, { item: itemId, claim: claim.id }, options);
  if (run !== undefined) reportToRun(run, result.claim);
  if (run !== undefined && "transition" in run && result.outcome === "advanced")
    moveRun(run, { item: result.item, contracts, why: `claim ${claim.id} was accepted`, message: claim.summary });
  return render(result);
}

function notYet(problems: readonly string[]): PlainToolResult {
  const lines = problems.map((text) => `- ${text}`);
  return refused(
    "fix",
    ["The phase is not complete yet. Fix this and call complete_phase again:", ...lines].join("\n"),
  );
}

/** Problems of the claim itself, found before the artifact is read. */
function checkWithoutArtifact(
  input: z.output<typeof claimInputSchema>,
  { item, contracts }: { readonly item: WorkItem; readonly contracts: CompletePhaseOptions["contracts"] },
): readonly string[] {
  if (input.completed_phase !== item.phase)
    return [`The item is in phase "${item.phase}", not in "${input.completed_phase}".`];
  const decision = decideWithoutArtifact({
    item: { ...item, held: null },
    claim: draftOf(input, item),
    contracts,
    verdicts: [],
  });
  return decision?.decision === "reject" ? decision.fix.split("\n") : [];
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

/** Every problem that the agent can fix in this turn. */
function checkEarly(
  input: z.output<typeof claimInputSchema>,
  {
    item,
    artifact = { status: "none" },
    options: { contracts, checks, triggers },
  }: { readonly item: WorkItem; readonly artifact: Artifact | undefined; readonly options: CompletePhaseOptions },
): readonly string[] {
  const contract = contractFor(contracts, item.phase);
  if (contract === undefined) return [];
  const looked =
    artifact.status === "none"
      ? []
      : runChecks(EARLY_CHECKS, { artifact, contract, claim: input }, checks).flatMap(({ problems }) => problems);
  // `decideClaim` finds the rest, on the claim as it would be recorded.
  const decision = decideClaim({
    item: { ...item, held: null },
    claim: draftOf(input, item),
    contracts,
    artifact,
    verdicts: [],
    checks,
    triggers,
  });
  const decided = decision.decision === "reject" ? decision.fix.split("\n") : [];
  return [...new Set([...(contract.validation.mode === "trust" ? [] : looked), ...decided])];
}

function render(result: ClaimResult): PlainToolResult {
  const { outcome, claim, item } = result;
  switch (outcome) {
    case "advanced":
      return accepted(
        outcome,
        item.completed
          ? `Phase "${claim.completed_phase}" is complete; it was the last one.`
          : `Phase "${claim.completed_phase}" is complete. The item is now in phase "${item.phase}".`,
        { claim: claim.id, phase: item.phase },
      );
    case "rejected":
      return refused(
        outcome,
        `The claim was rejected (${result.reason}). Fix this and call complete_phase again:\n${result.fix}`,
        {
          claim: claim.id,
          reason: result.reason,
        },
      );
    case "waiting":
      return accepted(
        outcome,
        `The claim is recorded and waits for a decision. ${result.reason} Do nothing more in this phase until then.`,
        { claim: claim.id },
      );
    case "stale":
      return refused(outcome, `The claim is stale: the item is in phase "${item.phase}".`, {
        claim: claim.id,
        phase: item.phase,
      });
  }
}

function accepted(outcome: string, text: string, data: JsonObject = {}): PlainToolResult {
  return { ok: true, text, data: { outcome, ...data } };
}

function refused(outcome: string, text: string, data: JsonObject = {}): PlainToolResult {
  return { ok: false, text, data: { outcome, ...data } };
}
