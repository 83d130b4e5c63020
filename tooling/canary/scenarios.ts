import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { neverBlind } from "./blind-scenarios.ts";
import type { CanaryAgent, Scene } from "./canary-agents.ts";
import { checkCodexTrust } from "./codex-trust.ts";
import { driveAgent } from "./drive-agent.ts";
import { gate } from "./gate-scenarios.ts";
import { agree } from "./log-scenarios.ts";
import { startModelServer, type Step } from "./model-server.ts";
import { installHooks, phasekitCommand, removeHooks, runPhasekit } from "./run-phasekit.ts";
import { type Check, ended, readRuns, resetProject, said, type Stage, STUCK, tail } from "./stage.ts";
import { subagents } from "./subagent-scenarios.ts";
import { otherWays } from "./transport-scenarios.ts";
import { remove } from "./uninstall-scenario.ts";

/** Repeats one failing command. */
const stuckScript: readonly Step[] = [
  ...Array.from({ length: 9 }, (): Step => ({ shell: STUCK })),
  { text: "I could not do it." },
];
/** The stages of an agent, in order. */
export function stagesOf({ name }: CanaryAgent, only: readonly string[]): readonly string[] {
  const stages = Object.keys(STAGES).filter((stage) => stage !== "trust" || name === "codex");
  return only.length === 0 ? stages : stages.filter((stage) => only.includes(stage));
}

/** The functions with which scenarios report. */
export interface ScenarioReport {
  /** Called before a stage. */
  readonly now: (stage: string) => void;
  readonly check: (check: Check) => void;
  /** Called after a stage. */
  readonly done: () => void;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Drives one real agent through all modes, with hooks that our own installer put there. */
export async function runScenarios(
  agent: CanaryAgent,
  {
    agentFolder,
    keep,
    only,
    report,
  }: {
    readonly agentFolder: string;
    readonly keep: boolean;
    /** The stages to run; all if there are none. */
    readonly only: readonly string[];
    readonly report: ScenarioReport;
  },
): Promise<void> {
  const { signal } = report;
  const folder = mkdtempSync(join(tmpdir(), `pk-canary-${agent.name}-`));
  const server = await startModelServer({ protocol: agent.protocol, shell: agent.shell });
  const { port } = server;
  const scene: Scene = { home: join(folder, "home"), project: join(folder, "project"), agentFolder, port, signal };
  mkdirSync(scene.home, { recursive: true });
  mkdirSync(scene.project, { recursive: true });
  agent.prepare(scene);
  const push = (check: Check): void => {
    // An agent that Ctrl-C killed breaks no promise.
    signal.throwIfAborted();
    report.check(check);
  };
  try {
    for (const name of stagesOf(agent, only)) {
      report.now(name);
      await STAGES[name]?.(agent, { scene, server, checks: { push } });
      report.done();
    }
  } finally {
    await removeHooks(agent.name, scene);
    await server.close();
    if (keep) report.check({ what: `kept ${folder}`, ok: true });
    else rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Stages by name, in order. */
const STAGES: Readonly<Record<string, (agent: CanaryAgent, stage: Stage) => Promise<void>>> = {
  observe,
  nudge,
  gate,
  "own log": agree,
  "never blind": neverBlind,
  "sub-agents": subagents,
  "other ways": otherWays,
  trust: checkCodexTrust,
  uninstall: remove,
};

async function observe(agent: CanaryAgent, { scene, server, checks }: Stage): Promise<void> {
  resetProject(scene);
  await installHooks(agent.name, scene, { mode: "observe" });
  const doctor = await runPhasekit(scene, ["doctor"]);
  checks.push({
    what: "doctor: finds the hooks and sends a canned event",
    ok: doctor.code === 0 && /ok +\S.* live +a canned event reached the local server/.test(doctor.output),
    seen: doctor.output,
  });
  const run = await driveAgent(agent, { scene, server, script: stuckScript });
  ended(run, checks, "observe");
  checks.push({ what: "observe: Phasekit adds nothing to any request", ok: !run.requests.some(said) });
  const log = readRuns(scene);
  checks.push({
    what: "observe: the run is recorded, with an alert",
    ok: log.includes('"alert.raised"'),
    seen: tail(log),
  });
  const runs = await runPhasekit(scene, ["runs"]);
  checks.push({
    what: "observe: phasekit runs lists it",
    ok: runs.output.includes(`${agent.name}-`),
    seen: runs.output,
  });
  // Gemini CLI has a loop detector of its own and ends the run after four calls.
  const [calls, failures] = ['"type":"tool.finished"', '"outcome":"error"'].map((text) => log.split(text).length - 1);
  checks.push({
    what: "observe: failed commands are recorded as failed",
    ok: failures === calls && (calls ?? 0) >= 4,
    seen: `${String(failures)} of ${String(calls)}`,
  });
}

async function nudge(agent: CanaryAgent, { scene, server, checks }: Stage): Promise<void> {
  await installHooks(agent.name, scene, { mode: "nudge" });
  const run = await driveAgent(agent, { scene, server, script: stuckScript });
  ended(run, checks, "nudge");
  const first = run.requests.findIndex(said);
  checks.push({
    what: `nudge: it arrives in the next model request (request ${String(first + 1)})`,
    ok: first > 0,
    seen: run.output.slice(-400),
  });
  // In the project: Copilot CLI lets no command run that names a path elsewhere.
  writeFileSync(join(scene.project, "phasekit"), `#!/bin/sh\nexec ${phasekitCommand} "$@"\n`, { mode: 0o755 });
  const waive = "./phasekit waive tests-fresh --reason x";
  const asking = await driveAgent(agent, { scene, server, script: [{ shell: waive }, { text: "I tried." }] });
  checks.push({
    what: "nudge: a waiver the agent asks for is refused, and its attempt is recorded",
    ok: /An agent cannot waive a gate/.test(asking.requests[1] ?? "") && readRuns(scene).includes("hooks.gate-touched"),
    seen: asking.requests[1]?.slice(-600) ?? "no second request",
  });
}
