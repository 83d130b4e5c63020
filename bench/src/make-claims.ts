import { type Claim, createPipeline, defineContracts, type WorkStore } from "@phasekit/contracts";

/** Two phases that ask for nothing: the cost is that of the store. */
export const workerContracts = defineContracts([{ phase: "plan" }, { phase: "build" }]);

/** Adds items with one undecided claim each. */
export async function makeClaims(
  store: WorkStore,
  { block, items }: { readonly block: number; readonly items: number },
): Promise<readonly Claim[]> {
  const pipeline = createPipeline({ store, contracts: workerContracts });
  return Promise.all(
    Array.from({ length: items }, async (_, n) => {
      const id = `I-${String(block)}-${String(n)}`;
      await pipeline.add({ id });
      return pipeline.submit(id, { completed_phase: "plan", contract_version: 1, recommended_next_phase: "build" });
    }),
  );
}
