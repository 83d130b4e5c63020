import type { Run, RunPort } from "@phasekit/core";
import type { Claim } from "../claims/claim-schema.ts";
import { contractGateState } from "../contract/contract-gate.ts";
import { type ContractSet, phasesAfter } from "../contract/contract-set.ts";
import type { WorkItem } from "./work-item.ts";
import type { WorkRecord } from "../stores/work-store.ts";

/**
 * Moves a run to the phase of its item, by the judge, and records a verdict that arrived after the claim's turn. Call
 * it after `processClaims`, or when a run resumes. The item never follows the run.
 *
 * @example
 * followItem(run, { record: await store.load("SYM-001"), contracts });
 */
export function followItem(
  run: Run,
  { record, contracts }: { readonly record: WorkRecord | undefined; readonly contracts: ContractSet },
): void {
  if (record === undefined) return;
  const waiting = run.view.read(contractGateState)?.claim;
  const decided =
    waiting?.verdict === "waiting"
      ? record.claims.find(({ id, processed }) => processed && id === waiting.id)
      : undefined;
  if (decided !== undefined) reportToRun(run, decided);
  moveRun(run, { item: record.item, contracts, why: `item "${record.item.id}" is in "${record.item.phase}"` });
}

/** Records the outcome of a claim in the run's log. A stale claim says nothing about the work. */
export function reportToRun(run: RunPort, { id, item_id, completed_phase, outcome, text, fix }: Claim): void {
  if (outcome !== "advanced" && outcome !== "rejected") return;
  run.record({
    type: "verdict.given",
    claim: id,
    item: item_id,
    phase: completed_phase,
    verdict: outcome === "advanced" ? "approved" : "rejected",
    judge: "contract",
    ...(outcome === "rejected" && text !== undefined && { why: text }),
    ...(fix !== undefined && { fix }),
  });
}

/** Moves a run forward along the pipeline and marks the phases the item skipped. Never moves backward. */
export function moveRun(
  run: Run,
  {
    item,
    contracts,
    why,
    message,
  }: { readonly item: WorkItem; readonly contracts: ContractSet; readonly why: string; readonly message?: string },
): void {
  const ahead = phasesAfter(contracts, run.view.phase);
  const place = ahead.indexOf(item.phase);
  if (place === -1) return;
  for (const phase of ahead.slice(0, place)) run.skip(phase, { by: "judge", why });
  run.transition(item.phase, { by: "judge", why, ...(message !== undefined && { message }) });
}
