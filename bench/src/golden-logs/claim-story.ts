import {
  checkContracts,
  contractGate,
  contractsOrThrow,
  contractsToGraph,
  createMemoryArtifacts,
  createPipeline,
  parseContract,
} from "@phasekit/contracts";
import { createRun } from "@phasekit/core";
import type { GoldenStory } from "./stories.ts";

const CONTRACTS = [
  `---
phase: research
contract_version: 1
artifact_path: "docs/{identifier}/research.md"
required_sections: [problem, risks]
next_phase: design
---
Find out what is wrong.
`,
  `---
phase: design
contract_version: 1
artifact_path: "docs/{identifier}/design.md"
required_sections: [decision]
next_phase: null
validation:
  mode: judge
---
Decide how it is solved.
`,
];

/** An item goes through two contracts: a rejected claim, a judge that says no once, and the run that follows. */
export const claimStory: GoldenStory = {
  name: "claims",
  play: async ({ clock, createId, store: storeIn }) => {
    const parsed = CONTRACTS.flatMap((text) => parseContract(text).contract ?? []);
    const contracts = contractsOrThrow(checkContracts(parsed));
    const files = new Map([
      ["docs/T-1/research.md", "## Problem\n\nEvery row of the list reads the whole file again.\n"],
    ]);
    const artifacts = createMemoryArtifacts({ project: files });
    let answered = 0;
    const pipeline = createPipeline({
      contracts,
      artifacts,
      clock,
      createId,
      judge: () =>
        (answered += 1) === 1
          ? { verdict: "rejected", reason: "No alternatives.", fix_instructions: "Compare one." }
          : { verdict: "approved", reason: "One decision, with its price." },
    });
    await pipeline.add({ id: "T-1" });
    const run = createRun({
      id: "claims",
      graph: contractsToGraph(contracts, { identifier: "T-1" }),
      policies: [contractGate({ contracts })],
      mode: "gate",
      item: { id: "T-1" },
      clock,
      createId,
    });
    const kept = storeIn(run);
    await pipeline.startRun("T-1", { runId: run.id });
    const tool = pipeline.completePhaseTool("T-1", { run });
    const claim = async (completed_phase: string, recommended_next_phase: string | null): Promise<void> => {
      run.beforeTurn();
      await tool.execute({
        completed_phase,
        recommended_next_phase,
        contract_version: 1,
        summary: "done",
        confidence: "high",
      });
      await pipeline.tick();
      await pipeline.follow(run, "T-1");
    };
    await claim("research", "design");
    run.beforeFinish();
    files.set(
      "docs/T-1/research.md",
      "## Problem\n\nEvery row of the list reads the whole file again.\n\n## Risks\n\nNone.\n",
    );
    await claim("research", "design");
    files.set("docs/T-1/design.md", "## Decision\n\nAn index, built once when the file is read.\n");
    await claim("design", null);
    files.set(
      "docs/T-1/design.md",
      "## Decision\n\nAn index, built once when the file is read. A sorted list would be slower.\n",
    );
    await claim("design", null);
    run.beforeFinish();
    run.end();
    await kept.close();
  },
};
