import { createMemoryArtifacts } from "../contract/artifact.ts";
import { addItem } from "../items/add-item.ts";
import type { Claim, ClaimInput } from "../claims/claim-schema.ts";
import type { ContractSet } from "../contract/contract-set.ts";
import type { ProcessOptions } from "../claims/process-claims.ts";
import { createMemoryWorkStore } from "../stores/memory-store.ts";
import { submitClaim } from "../claims/submit-claim.ts";
import type { WorkItem } from "../items/work-item.ts";
import type { WorkLogLine } from "../items/work-log.ts";
import type { WorkRecord, WorkStore } from "../stores/work-store.ts";
import { readiness, RESEARCH, START } from "./pipeline.ts";

/** A store with one item, files, a clock and a log: what a test of the shell needs. */
export async function openWorkshop({
  contracts = readiness,
  phase,
}: { readonly contracts?: ContractSet; readonly phase?: string } = {}) {
  let now = START;
  const store: WorkStore = createMemoryWorkStore({ clock: () => now });
  let ids = 0;
  const project = new Map<string, string>([
    ["docs/tickets/SYM-001/research.md", RESEARCH],
    ["docs/tickets/SYM-001/design.md", "# Design\n\nA cache.\n"],
    ["docs/tickets/SYM-001/grooming.md", "# Plan\n\n1. Add the cache.\n"],
  ]);
  const worktree = new Map<string, string>();
  const lines: WorkLogLine[] = [];
  const options: ProcessOptions = {
    contracts,
    artifacts: createMemoryArtifacts({ project, worktree }),
    clock: () => now,
    createId: () => `id-${(ids += 1)}`,
    log: (line) => void lines.push(line),
  };
  await addItem(store, { id: "SYM-001", project: { name: "demo" }, ...(phase !== undefined && { phase }) }, options);
  const record = async (): Promise<WorkRecord> => {
    const found = await store.load("SYM-001");
    if (found === undefined) throw new Error("The item is gone.");
    return found;
  };
  return {
    store,
    options,
    project,
    worktree,
    lines,
    record,
    item: async (): Promise<WorkItem> => (await record()).item,
    comments: async (): Promise<readonly string[]> => (await store.history("SYM-001")).comments.map(({ text }) => text),
    pass: (ms: number): void => {
      now += ms;
    },
    now: () => now,
    claim: (members: Partial<ClaimInput> = {}, more: { readonly idempotencyKey?: string } = {}): Promise<Claim> =>
      submitClaim(
        store,
        {
          item: "SYM-001",
          completed_phase: "research",
          contract_version: 1,
          recommended_next_phase: "architecture",
          ...members,
        },
        { ...options, ...more },
      ),
  };
}
