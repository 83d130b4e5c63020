import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import type { CanaryAgent, Scene } from "../canary-agents.ts";
import { startModelServer } from "../model-server.ts";
import { installHooks, removeHooks } from "../run-phasekit.ts";
import { type Answer, answerScenarios, type AnswerStage, requestGaps } from "./answer-scenarios.ts";

/** One column of the table. */
export interface AgentAnswers {
  readonly agent: string;
  readonly version: string;
  readonly answers: Readonly<Record<string, Answer>>;
  /** Milliseconds that hooks add between two model requests. */
  readonly added: { readonly p50: number; readonly p99: number };
  /** The load of the machine before and after. */
  readonly load: readonly [number, number];
}

/** The number of steps that one agent takes. */
export const ANSWER_STEPS = Object.keys(answerScenarios).length + 1;

/** Drives one agent through all scenarios of the table. */
export async function answersOf(
  agent: CanaryAgent,
  {
    agentFolder,
    signal,
    onStep,
  }: { readonly agentFolder: string; readonly signal: AbortSignal; readonly onStep: (name: string) => void },
): Promise<AgentAnswers> {
  const folder = mkdtempSync(join(tmpdir(), `pk-answers-${agent.name}-`));
  const server = await startModelServer({ protocol: agent.protocol, shell: agent.shell });
  const [before = 0] = loadavg();
  const answers: Record<string, Answer> = {};
  try {
    for (const [name, scenario] of Object.entries(answerScenarios)) {
      onStep(name);
      // A home of its own: no earlier session is in the way.
      const stage = { agent, server, scene: sceneIn(join(folder, String(Object.keys(answers).length))) };
      agent.prepare(stage.scene);
      try {
        answers[name] = await scenario(stage);
      } catch (error) {
        signal.throwIfAborted();
        answers[name] = { happened: `could not be driven: ${error instanceof Error ? error.message : String(error)}` };
      } finally {
        await removeHooks(agent.name, stage.scene);
      }
    }
    onStep("added time");
    const added = await addedTime({ agent, server, scene: sceneIn(join(folder, "time")) });
    const [after = 0] = loadavg();
    return { agent: agent.name, version: versionOf(agent, agentFolder), answers, added, load: [before, after] };
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }

  function sceneIn(place: string): Scene {
    const scene = {
      home: join(place, "home"),
      project: join(place, "project"),
      agentFolder,
      port: server.port,
      signal,
    };
    mkdirSync(scene.home, { recursive: true });
    mkdirSync(scene.project, { recursive: true });
    return scene;
  }
}

/** Runs with and without hooks in turn, so that the load of the machine is in both. */
async function addedTime(stage: AnswerStage): Promise<AgentAnswers["added"]> {
  const { agent, scene } = stage;
  agent.prepare(scene);
  const gaps: Record<"hooks" | "none", number[]> = { hooks: [], none: [] };
  for (let round = 0; round < 2; round += 1) {
    gaps.none.push(...(await requestGaps(stage)));
    await installHooks(agent.name, scene, { mode: "gate" });
    gaps.hooks.push(...(await requestGaps(stage)));
    await removeHooks(agent.name, scene);
  }
  const added = (share: number): number => Math.round(quantile(gaps.hooks, share) - quantile(gaps.none, share));
  return { p50: added(0.5), p99: added(0.99) };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function versionOf({ packageName }: CanaryAgent, agentFolder: string): string {
  const file = join(agentFolder, "node_modules", packageName, "package.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly version: string }).version;
}

/** The table as a page of Markdown. */
export function renderAnswers(columns: readonly AgentAnswers[], on: string): string {
  const cells = (read: (column: AgentAnswers) => string): string => columns.map((one) => ` ${read(one)} |`).join("");
  const rows = Object.keys(answerScenarios).flatMap((name) => {
    const answers = columns.map(({ answers: own }) => own[name]);
    const compared = answers.some((answer) => answer?.liveAndLog !== undefined);
    return [
      `| ${name} |${cells(({ answers: own }) => own[name]?.happened ?? "")}`,
      ...(compared ? [`| – live = log |${cells(({ answers: own }) => own[name]?.liveAndLog ?? "–")}`] : []),
    ];
  });
  return `${[
    "# Live agents, scenario by scenario",
    "",
    `Written by \`npx --yes pnpm@12 canary --latest --table\` on ${on}, Linux x64, two shared cores. Requests count from 0: \`@3\` is the first`,
    'request after the third failure. "live = log" compares calls, failed calls, tokens, reason and verdict of the live run with',
    "the agent's own log; of a difference, the live value stands first.",
    "",
    `| |${cells(({ agent }) => agent)}`,
    `| --- |${columns.map(() => " --- |").join("")}`,
    `| version |${cells(({ version }) => version)}`,
    `| load before, after |${cells(({ load }) => load.map((value) => value.toFixed(0)).join(", "))}`,
    ...rows,
    `| added per model request, p50 / p99 |${cells(({ added }) => `${String(added.p50)} / ${String(added.p99)} ms`)}`,
  ].join("\n")}\n`;
}
