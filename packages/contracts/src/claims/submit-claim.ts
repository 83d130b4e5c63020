import { type Artifact, type ArtifactSource, readingToArtifact } from "../contract/artifact.ts";
import { itemChange } from "./claim-change.ts";
import { type Claim, type ClaimInput, claimInputSchema, issueTexts, type Snapshot } from "./claim-schema.ts";
import type { Contract } from "../contract/contract-schema.ts";
import { contractFor, type ContractSet } from "../contract/contract-set.ts";
import { claimConflict, invalidInput, tooManyClaims } from "../errors.ts";
import { artifactPathFor } from "../contract/identifier.ts";
import { hashContent } from "../sha256.ts";
import { isoTime, randomId, systemClock } from "../system.ts";
import { updateItem } from "../items/update-item.ts";
import { latestRun, type WorkItem } from "../items/work-item.ts";
import type { WorkStore } from "../stores/work-store.ts";

/** Options for one claim. */
export interface ClaimOptions {
  /** The run that claims. @default none */
  readonly run?: string;
  /** A repeated key returns the first claim, or is refused if the content differs. @default a new claim */
  readonly idempotencyKey?: string;
}

interface SubmitOptions extends ClaimOptions {
  readonly contracts: ContractSet;
  /** Without it, the artifact is read when the claim is decided. */
  readonly artifacts?: ArtifactSource;
  readonly maxOpenClaims?: number;
  readonly clock?: () => number;
  readonly createId?: () => string;
}

/**
 * Records the claim that a phase is complete, with the current artifact. `processClaim` and `processClaims` decide it
 * later.
 *
 * @throws INVALID_INPUT, UNKNOWN_ITEM, CLAIM_CONFLICT, TOO_MANY_CLAIMS
 */
export async function submitClaim(
  store: WorkStore,
  { item: itemId, ...input }: ClaimInput & { readonly item: string },
  options: SubmitOptions,
): Promise<Claim> {
  const { contracts, artifacts, run = null, maxOpenClaims = 16, clock = systemClock, createId = randomId } = options;
  const parsed = claimInputSchema.safeParse(input);
  if (!parsed.success) throw invalidInput("claim", issueTexts(parsed.error));
  const id = createId();
  const idempotency_key = `${itemId}/${options.idempotencyKey ?? id}`;
  return updateItem(store, itemId, async (record) => {
    const { item } = record;
    const artifact =
      artifacts === undefined
        ? undefined
        : await readArtifact(item, contractFor(contracts, parsed.data.completed_phase), artifacts);
    const snapshot = artifact === undefined ? null : toSnapshot(artifact);
    const content_hash = hashContent(JSON.stringify([parsed.data, snapshot]));
    const known = await store.findClaim(idempotency_key);
    if (known !== undefined) {
      if (known.content_hash !== content_hash) throw claimConflict(options.idempotencyKey ?? id);
      return { answer: known };
    }
    if (record.claims.filter(({ processed }) => !processed).length >= maxOpenClaims)
      throw tooManyClaims(itemId, maxOpenClaims);
    const now = clock();
    const claim: Claim = {
      ...parsed.data,
      id,
      idempotency_key,
      content_hash,
      snapshot,
      category: "phase_completion",
      item_id: itemId,
      run_id: run,
      // The hash of the file that was read counts, not the hash the agent declares.
      artifact_hash: artifact?.status === "found" ? artifact.hash : parsed.data.artifact_hash,
      entry: item.entry,
      contract_hash: contractFor(contracts, parsed.data.completed_phase)?.hash ?? null,
      created_at: isoTime(now),
      processed: false,
    };
    const snapshots = artifact?.status === "found" ? [{ hash: artifact.hash, text: artifact.text }] : [];
    return { change: itemChange(item, {}, { now, rest: { claims: [claim], snapshots } }), answer: claim };
  });
}

/** Reads the artifact of a contract: from the worktree of the item's latest run, or from the project. */
export async function readArtifact(
  item: WorkItem,
  contract: Contract | undefined,
  artifacts: ArtifactSource,
): Promise<Artifact> {
  if (contract?.artifact_path === undefined) return { status: "none" };
  const path = artifactPathFor(contract.artifact_path, item.id);
  return readingToArtifact(await artifacts.read(path, { worktree: latestRun(item)?.worktreePath ?? undefined }), path);
}

/** Converts an artifact to a snapshot, without its text. */
export function toSnapshot(artifact: Artifact): Snapshot {
  if (artifact.status !== "found") return artifact;
  const { text: _text, ...rest } = artifact;
  return rest;
}
