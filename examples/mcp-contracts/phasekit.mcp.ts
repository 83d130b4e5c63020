// The one file of phasekit-mcp: a story, its contracts, and the tools its agent gets.
import { join } from "node:path";
import { contractsOrThrow, contractsToGraph, createPipeline, renderContractPrompt } from "@phasekit/contracts";
import { createArtifactFiles, loadContracts } from "@phasekit/contracts/node";
import { createRun, phaseStatusTool } from "@phasekit/core";
import { createMemoryStore, storeRun } from "@phasekit/ledger";
import { whyTool } from "@phasekit/ledger/story";
import { contractResources, defineServer } from "@phasekit/mcp";
import { askForHelpTool } from "@phasekit/watchdog";

const ITEM = "STORY-7";

export default defineServer(async () => {
  const folder = process.env["STORY_FOLDER"] ?? process.cwd();
  const contracts = contractsOrThrow(await loadContracts(join(import.meta.dirname, "contracts")));
  // In memory, so that the example leaves nothing behind; a real story lives in createSqliteWorkStore and a file store.
  const pipeline = createPipeline({ contracts, artifacts: createArtifactFiles({ projectRoot: folder }) });
  const runs = createMemoryStore();
  await pipeline.add({ id: ITEM });
  const run = createRun({ graph: contractsToGraph(contracts, { identifier: ITEM }), mode: "gate", item: { id: ITEM } });
  const stored = storeRun(run, runs);
  await pipeline.startRun(ITEM, { runId: run.id, worktreePath: folder });

  return {
    name: "story",
    instructions: () =>
      `You work on ${ITEM}, in phase "${run.view.phase}". Read its contract, and call complete_phase when it is met.`,
    bound: { run: run.id, item: ITEM },
    tools: [
      pipeline.completePhaseTool(ITEM, { run }),
      phaseStatusTool(run),
      whyTool(runs),
      // A person or another model would answer here.
      askForHelpTool(run, { reviewer: () => ({ verdict: "needs-changes", feedback: "Measure first, then write." }) }),
    ],
    resources: contractResources(contracts, {
      render: (contract) => renderContractPrompt(contract, { identifier: ITEM }),
    }),
    close: async () => {
      run.end();
      await stored.close();
    },
  };
});
