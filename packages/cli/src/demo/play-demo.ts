import { codingRunOptions } from "@phasekit/coding";
import { contractGate, type ContractSet, contractsOrThrow, createPipeline } from "@phasekit/contracts";
import { createArtifactFiles, loadContracts } from "@phasekit/contracts/node";
import { createRun, type PlainTool, type Run, type RunEvent, trackRun } from "@phasekit/core";
import { storeRun } from "@phasekit/ledger";
import { createFileStore } from "@phasekit/ledger/node";
import { applyTurn, executeTools, recordResponse, toChatTools, type ToolHandlers } from "@phasekit/openai";
import { join } from "node:path";
import { writeProject } from "./failing-project.ts";
import { projectTools, runCommand } from "./project-tools.ts";
import { startScriptedModel } from "./scripted-model.ts";
import type { DemoStory } from "./stories.ts";

/** The result of a demo. */
export interface DemoResult {
  readonly run: Run;
  /** True if the tests of the project pass now, measured outside of the run. */
  readonly testsPass: boolean;
  /** Requests that a real API would have rejected. */
  readonly complaints: readonly string[];
}

interface DemoOptions {
  /** An empty folder for the project. */
  readonly project: string;
  /** The folder to store the run in. */
  readonly runs: string;
  readonly onStep: (step: readonly RunEvent[]) => void;
  /** Waits between turns, for people who watch. */
  readonly pause: () => Promise<void>;
  readonly clock: () => number;
  readonly id: string;
}

const TASK = "The tests of this project fail. Fix it.";

/**
 * Plays a story with real parts: a project on disk, tools that read, edit and run, a model behind HTTP on localhost,
 * the OpenAI adapter, the coding preset and a file ledger. Only the answers of the model are scripted.
 */
export async function playDemo(
  { agent, contract = false }: DemoStory,
  { project, runs, onStep, pause, clock, id }: DemoOptions,
): Promise<DemoResult> {
  await writeProject(project);
  const contracts = contractsOrThrow(await loadContracts(join(project, "contracts")));
  const server = await startScriptedModel(agent());
  const store = createFileStore(runs);
  const run = createRun(
    codingRunOptions({
      id,
      clock,
      mode: "gate",
      task: { id: "demo", text: TASK },
      policies: contract ? [contractGate({ contracts })] : [],
      budget: { turns: 40 },
    }),
  ) as unknown as Run;
  const stored = storeRun(run, store);
  run.subscribe(onStep);

  const own = projectTools(project);
  const claims = contract ? [await claimTool({ run, project, contracts })] : [];
  const tools = toChatTools([
    ...own.map((tool) => ({ ...tool, execute: () => Promise.reject(new Error("not called this way")) })),
    ...claims,
  ]);
  const handlers: ToolHandlers = Object.fromEntries(own.map(({ name, run: make }) => [name, make]));
  try {
    await trackRun(run, () => loop({ run, url: server.url, tools, handlers, claims, pause }));
    await stored.close();
  } finally {
    await store.close();
    await server.close();
  }
  const { exitCode } = await runCommand("node --test", project);
  return { run, testsPass: exitCode === 0, complaints: server.complaints };
}

/** The tool for the claim that the contract is met. */
async function claimTool({
  run,
  project,
  contracts,
}: {
  readonly run: Run;
  readonly project: string;
  readonly contracts: ContractSet;
}): Promise<PlainTool> {
  const pipeline = createPipeline({ contracts, artifacts: createArtifactFiles({ projectRoot: project }) });
  await pipeline.add({ id: "DEMO-1" });
  await pipeline.startRun("DEMO-1", { runId: run.id, worktreePath: project });
  return pipeline.completePhaseTool("DEMO-1", { run });
}

type Message = Readonly<Record<string, unknown>>;
interface Completion {
  readonly choices: readonly {
    readonly message: Message & { readonly content: string | null; readonly tool_calls?: readonly unknown[] };
  }[];
}

/** A plain agent loop around the API, with the four calls that make it phase-aware. */
async function loop({
  run,
  url,
  tools,
  handlers,
  claims,
  pause,
}: {
  readonly run: Run;
  readonly url: string;
  readonly tools: readonly object[];
  readonly handlers: ToolHandlers;
  readonly claims: readonly PlainTool[];
  readonly pause: () => Promise<void>;
}): Promise<void> {
  const messages: Message[] = [
    { role: "system", content: "You fix failing projects." },
    { role: "user", content: TASK },
  ];
  for (;;) {
    if (run.beforeTurn().stop) return;
    const completion = await create(url, applyTurn(run, { model: "scripted", messages, tools }));
    recordResponse(run, completion);
    const message = completion.choices[0]?.message;
    if (message === undefined) throw new Error("The model did not answer.");
    messages.push(message);
    if (message.tool_calls !== undefined)
      messages.push(
        ...((await executeTools(run, completion, {
          handlers,
          tools: claims,
        })) as readonly object[] as readonly Message[]),
      );
    else {
      const finish = run.beforeFinish({ text: message.content ?? "" });
      if (finish.accept) return;
      messages.push({ role: "user", content: finish.text });
    }
    await pause();
  }
}

async function create(url: string, body: object): Promise<Completion> {
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`The model answered ${String(response.status)}: ${await response.text()}`);
  return (await response.json()) as Completion;
}
