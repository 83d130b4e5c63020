import {
  checkContracts,
  contractsOrThrow,
  contractsToGraph,
  createPipeline,
  parseContract,
  renderContractPrompt,
  type WorkStore,
} from "@phasekit/contracts";
import { createArtifactFiles } from "@phasekit/contracts/node";
import { createRun, phaseStatusTool, type Run, type RunEvent } from "@phasekit/core";
import { createMemoryStore, storeRun } from "@phasekit/ledger";
import { whyTool } from "@phasekit/ledger/story";
import { askForHelpTool } from "@phasekit/watchdog";
import { contractResources, defineServer, type ServerDefinition } from "../src/index.ts";

export const ITEM = "STORY-7";
export const RUN = "run-1";

/** Everything a server of this kind is made of, around the files of one folder. */
export interface Workshop {
  readonly definition: ServerDefinition;
  readonly run: Run;
  readonly store: WorkStore;
  readonly events: readonly RunEvent[];
}

const contract = (phase: string, next: string | null, sections: string): string => `---
phase: ${phase}
contract_version: 1
artifact_path: "docs/{identifier}/${phase}.md"
required_sections: [${sections}]
next_phase: ${next ?? "null"}
---
Do the ${phase}.
`;

/** A story that goes through two contracts, with the four tools an agent gets. */
export async function openWorkshop(folder: string): Promise<Workshop> {
  const parsed = [contract("research", "plan", "problem, risks"), contract("plan", null, "steps")].map(
    (text) => parseContract(text).contract,
  );
  const contracts = contractsOrThrow(checkContracts(parsed.filter((found) => found !== undefined)));
  const pipeline = createPipeline({ contracts, artifacts: createArtifactFiles({ projectRoot: folder }) });
  await pipeline.add({ id: ITEM });
  const run = createRun({
    id: RUN,
    graph: contractsToGraph(contracts, { identifier: ITEM }),
    mode: "gate",
    item: { id: ITEM },
  });
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));
  const runs = createMemoryStore();
  const stored = storeRun(run, runs);
  await pipeline.startRun(ITEM, { runId: run.id, worktreePath: folder });
  const definition = defineServer({
    name: "story",
    version: "1.0.0",
    tools: [
      pipeline.completePhaseTool(ITEM, { run }),
      phaseStatusTool(run),
      whyTool(runs),
      askForHelpTool(run, {
        reviewer: ({ text }) => ({
          verdict: "needs-changes",
          feedback: text.includes("disk") ? "Free some space first." : "Read the contract.",
        }),
      }),
    ],
    resources: contractResources(contracts, { render: (found) => renderContractPrompt(found, { identifier: ITEM }) }),
    instructions: () => `You work on ${ITEM}, in phase "${run.view.phase}".`,
    bound: { run: RUN, item: ITEM },
    maxInputLength: 5000,
    close: async () => {
      run.end();
      await stored.close();
    },
  });
  return { definition, run, store: pipeline.store, events };
}
