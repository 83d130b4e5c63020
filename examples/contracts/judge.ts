// The shortest whole pipeline: a judge rejects the first claim with a fix and approves the second; the item enters the
// next phase, and the hooks say so.
import { createPipeline, defineContracts } from "@phasekit/contracts";

const pipeline = createPipeline({
  contracts: defineContracts([{ phase: "plan", validation: { mode: "judge" } }, { phase: "ready" }]),
  judge: ({ claim }) => ({ verdict: /undo/.test(claim.summary) ? "approved" : "rejected", reason: "Say how to undo." }),
  deliver: ({ name, payload: { fix, to, label, phase } }) => console.log(name, fix ?? to ?? label ?? phase),
});
await pipeline.add({ id: "T-1" });
const claim = { completed_phase: "plan", contract_version: 1, recommended_next_phase: "ready" };
for (const summary of ["Add a cache.", "Add a cache; undo: remove it."]) {
  await pipeline.submit("T-1", { ...claim, summary });
  await pipeline.tick();
}
