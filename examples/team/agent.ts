import { setTimeout as delay } from "node:timers/promises";
import {
  contractGate,
  type ContractSet,
  contractsToGraph,
  createMemoryArtifacts,
  createPipeline,
  type WorkRecord,
  type WorkStore,
} from "@phasekit/contracts";
import { createRun, type Run, trackRun } from "@phasekit/core";
import { storeRun, type RunStore } from "@phasekit/ledger";
import type { createPostgresLeaseStore } from "@phasekit/postgres";

/** The stores the agents of a team share. */
export interface Office {
  readonly work: WorkStore;
  readonly runs: RunStore;
  readonly leases: ReturnType<typeof createPostgresLeaseStore>;
  readonly contracts: ContractSet;
}

const LEASE_MS = 20_000;

/** Items whose first design forgets the alternatives: every fifth. */
export const isHasty = (item: string): boolean => Number(item.slice(-2)) % 5 === 0;

/** Takes one free item after the other and brings it through all phases, until there is none left. Gives the number. */
export async function workAsAgent(name: string, office: Office): Promise<number> {
  const { work, leases } = office;
  let done = 0;
  for (const item of await work.list()) {
    const answer = await leases.acquire({ resource: item, holder: name, ttlMs: LEASE_MS, maxHoldMs: 10 * LEASE_MS });
    if (answer.status !== "granted") {
      await leases.withdraw({ resource: item, holder: name });
      continue;
    }
    const record = await work.load(item);
    if (record?.item.completed === false) {
      await bringThrough(item, office, () => leases.renew({ ...answer.lease, ttlMs: LEASE_MS }));
      done += 1;
    }
    await leases.release(answer.lease);
  }
  return done;
}

async function bringThrough(
  item: string,
  { work, runs, contracts }: Office,
  renew: () => Promise<unknown>,
): Promise<void> {
  const run = createRun({
    id: `run-${item}`,
    graph: contractsToGraph(contracts, { identifier: item }),
    policies: [contractGate({ contracts })],
    mode: "gate",
    item: { id: item },
    task: { text: `Make ${item} ready` },
  });
  const stored = storeRun(run, runs);
  const pipeline = createPipeline({ store: work, contracts });
  await pipeline.startRun(item, { runId: run.id });
  await trackRun(run, async () => {
    let record = await recordOf(work, item);
    while (!record.item.completed) {
      if (run.beforeTurn().stop) return;
      if ((await renew()) === undefined) throw new Error(`the lease on ${item} is lost`);
      const claim = await claimPhase(record, { work, contracts, run });
      record = await decided(work, { item, claim });
      await pipeline.follow(run, item);
    }
    run.beforeFinish();
  });
  await pipeline.endRun(item, { runId: run.id });
  await stored.close();
}

/** Writes the artifact of the phase and claims that the phase is complete. */
async function claimPhase(
  { item, claims }: WorkRecord,
  { work, contracts, run }: Pick<Office, "work" | "contracts"> & { readonly run: Run },
): Promise<string> {
  const contract = contracts.byPhase[item.phase];
  if (contract === undefined) throw new Error(`there is no contract for ${item.phase}`);
  const path = (contract.artifact_path ?? "").replace("{identifier}", item.id);
  const wasRejected = claims.some(({ entry, outcome }) => entry === item.entry && outcome === "rejected");
  const { call } = run.beforeTool({ tool: "complete_phase", input: { phase: item.phase } });
  const artifacts = createMemoryArtifacts({
    project: new Map([[path, artifactOf(item.phase, { hasty: isHasty(item.id) && !wasRejected })]]),
  });
  const { id } = await createPipeline({ store: work, contracts, artifacts }).submit(
    item.id,
    {
      completed_phase: item.phase,
      contract_version: contract.contract_version,
      recommended_next_phase: contract.next_phase,
      summary: `${item.phase} of ${item.id}`,
      confidence: "high",
    },
    { run: run.id },
  );
  run.record({ type: "claim.submitted", claim: id, item: item.id, phase: item.phase });
  run.record({ type: "tool.finished", call, outcome: "ok", output: "claimed" });
  return id;
}

function artifactOf(phase: string, { hasty }: { readonly hasty: boolean }): string {
  switch (phase) {
    case "research":
      return (
        "# Research\n\n## Problem\n\nThe list is read for every row.\n\n" +
        "## Recommendation\n\nBuild an index once.\n"
      );
    case "architecture":
      return (
        "# Design\n\n## Decision\n\nA map, built once.\n\n## Alternatives\n\n" +
        `${hasty ? "To be done." : "Sorting and searching: slower, and the order matters elsewhere."}\n`
      );
    default:
      return "# Plan\n\n## Steps\n\n1. Build the map.\n2. Look users up in it.\n";
  }
}

/** Waits until some worker has decided the claim. */
async function decided(
  work: WorkStore,
  { item, claim }: { readonly item: string; readonly claim: string },
): Promise<WorkRecord> {
  for (;;) {
    const record = await recordOf(work, item);
    if (record.claims.find(({ id }) => id === claim)?.processed === true) return record;
    await delay(40);
  }
}

async function recordOf(work: WorkStore, item: string): Promise<WorkRecord> {
  const record = await work.load(item);
  if (record === undefined) throw new Error(`there is no item ${item}`);
  return record;
}
