import { installTarget } from "../../packages/cli/src/hooks/install/install-target.ts";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { neverBlind } from "./blind-scenarios.ts";
import type { CanaryAgent, Scene } from "./canary-agents.ts";
import { checkCodexTrust } from "./codex-trust.ts";
import { compareWithLog } from "./compare-with-log.ts";
import { driveAgent } from "./drive-agent.ts";
import { driveOpencodeServer } from "./drive-opencode-server.ts";
import { startModelServer, type Step } from "./model-server.ts";
import { subagents } from "./subagent-scenarios.ts";
import { installHooks, phasekitCommand, removeHooks, runPhasekit } from "./run-phasekit.ts";
import {
  type Check,
  EDIT,
  ended,
  filesIn,
  readRuns,
  resetProject,
  said,
  checkTokens,
  type Stage,
  STUCK,
  tail,
  TEST,
} from "./stage.ts";

/** Repeats one failing command. */
const stuckScript: readonly Step[] = [
  ...Array.from({ length: 9 }, (): Step => ({ shell: STUCK })),
  { text: "I could not do it." },
];
const finishScript: readonly Step[] = [
  { shell: EDIT },
  { text: "All done." },
  { shell: TEST },
  { text: "All done, the tests pass." },
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

async function gate(agent: CanaryAgent, { scene, server, checks }: Stage): Promise<void> {
  await installHooks(agent.name, scene, { mode: "gate" });
  const target = installTarget(agent.name, { home: scene.home, cwd: scene.project });
  const before = readFileSync(target, "utf8");
  const attack = await driveAgent(agent, {
    scene,
    server,
    script: [{ shell: `echo '{}' > '${target}'` }, { text: "I could not change it." }],
  });
  ended(attack, checks, "gate");
  checks.push({
    what: "gate: the agent reads that its change of its own hooks is refused",
    ok: attack.requests[1]?.includes("Phasekit setup") ?? false,
    seen: attack.requests[1]?.slice(-500) ?? "no second request",
  });
  checks.push({ what: "gate: the refused call did not run", ok: readFileSync(target, "utf8") === before });

  resetProject(scene);
  const drive = agent.vetoIn === "server" ? driveOpencodeServer : driveAgent;
  const finish = await drive(agent, { scene, server, script: finishScript });
  ended(finish, checks, "gate");
  const vetoes = finish.requests.filter((body) => body.includes("phasekit waive tests-fresh"));
  checks.push({
    what: "gate: a finish without tests is vetoed once, in the next request",
    ok: finish.requests.length === 4 && vetoes.length === 2,
    seen: `${String(finish.requests.length)} requests, ${String(vetoes.length)} with the veto; ${finish.output.slice(-400)}`,
  });
  const log = readRuns(scene);
  const vetoed = log.split('"type":"finish.vetoed"').length - 1;
  const isVouched = /"gate":"tests-fresh","verdict":"(?:pass|concerns)"/.test(log);
  checks.push({
    what: "gate: the finish after passing tests is accepted",
    ok: vetoed === 1 && isVouched,
    seen: `${String(vetoed)} vetoes: ${tail(log)}`,
  });
  await waiveByUser(agent, { scene, server, checks });
  // A model that never runs the tests must not be held.
  resetProject(scene);
  const stubborn = await driveAgent(agent, { scene, server, script: [{ shell: EDIT }, { text: "All done." }] });
  ended(stubborn, checks, "gate, a model that ignores the veto");
}

/** The user waives the gate while the agent works; its finish is then accepted. */
async function waiveByUser(agent: CanaryAgent, { scene, server, checks }: Stage): Promise<void> {
  resetProject(scene);
  const script: readonly Step[] = [{ shell: EDIT }, { shell: "sleep 5" }, { text: "All done." }];
  const driving = driveAgent(agent, { scene, server, script });
  const agentRun = { isOver: false };
  void driving.then(() => (agentRun.isOver = true));
  let waived = false;
  while (!agentRun.isOver && !waived) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    // Only once the session works: an earlier run of this folder is not the one that is meant.
    if (server.requests().length < 2) continue;
    waived = (await runPhasekit(scene, ["waive", "tests-fresh", "--reason", "No tests needed."])).code === 0;
  }
  const run = await driving;
  checks.push({
    what: "gate: a waiver of the user lets the agent finish without tests",
    ok: waived && run.requests.length === 3 && readRuns(scene).includes('"held":"waived"'),
    seen: `waived: ${String(waived)}, ${String(run.requests.length)} requests; ${tail(readRuns(scene))}`,
  });
}

/** A session of two prompts: the first ends with passing tests, the second without any. */
export const sessionScripts: readonly [readonly Step[], readonly Step[]] = [
  [
    { shell: "cat sum.mjs" },
    ...Array.from({ length: 3 }, (): Step => ({ shell: "ls nothing-here" })),
    { shell: EDIT },
    { shell: TEST },
    { text: "All done, the tests pass." },
  ],
  [{ shell: "sed -i '1i // Adds.' sum.mjs" }, { text: "All done." }],
];

const mixedScript: readonly Step[] = [
  { shell: "cat sum.mjs" },
  ...Array.from({ length: 3 }, (): Step => ({ shell: "ls nothing-here" })),
  ...finishScript,
];

/** The live run and the agent's own log tell the same story. */
async function agree(agent: CanaryAgent, { scene, server, checks }: Stage): Promise<void> {
  // A nudge inside a result changes it for a reader of the log.
  const mode = agent.nudgesInResults === true ? "observe" : "gate";
  await installHooks(agent.name, scene, { mode });
  resetProject(scene);
  const script = mode === "gate" ? mixedScript : sessionScripts[0];
  const run = await driveAgent(agent, { scene, server, script });
  checkTokens(readRuns(scene), run, checks);
  if (agent.logFolder === undefined) return;
  const runs = join(scene.home, ".phasekit", "runs");
  const { live, log } = await compareWithLog(runs, { logs: join(scene.home, agent.logFolder), mode });
  checks.push({
    what: `${mode}: the live run and the agent's own log tell the same: ${live}`,
    ok: live === log && live.includes("acting"),
    seen: log,
  });
  await continueSession(agent, { scene, server, checks });
  await installHooks(agent.name, scene, { mode: "gate" });
}

/** The user continues the session in a new process: it is the same live run, as it is the same log. */
async function continueSession(agent: CanaryAgent, { scene, server, checks }: Stage): Promise<void> {
  const { continuing, logFolder } = agent;
  if (continuing === undefined || logFolder === undefined) return;
  await installHooks(agent.name, scene, { mode: "observe" });
  const runs = join(scene.home, ".phasekit", "runs");
  const before = readdirSync(runs).length;
  const again = { ...agent, command: continuing };
  const { output } = await driveAgent(again, { scene, server, script: sessionScripts[1] });
  const { live, log } = await compareWithLog(runs, { logs: join(scene.home, logFolder), mode: "observe" });
  checks.push({
    what: `a session that is continued in a new process is one live run, as in the agent's own log: ${live}`,
    ok: readdirSync(runs).length === before && live === log && live.endsWith("done_unverified, verified: false"),
    seen: `${String(readdirSync(runs).length - before)} more runs; the log: ${log}; ${output.slice(-300)}`,
  });
}

const readScript: readonly Step[] = [
  ...Array.from({ length: 20 }, (_, index): Step => ({ shell: `echo ${String(index)}` })),
  { text: "Read." },
];

/** The other ways to reach Phasekit hold as well; the cost of each is printed. */
async function otherWays(agent: CanaryAgent, { scene, server, checks }: Stage): Promise<void> {
  const gap = async (): Promise<number> => {
    await driveAgent(agent, { scene, server, script: readScript });
    const gaps = server.gaps().toSorted((a, b) => a - b);
    return gaps[Math.floor(gaps.length / 2)] ?? 0;
  };
  const gaps: [string, number][] = [["default", await gap()]];
  for (const transport of agent.transports ?? []) {
    await installHooks(agent.name, scene, { mode: "gate", transport });
    resetProject(scene);
    const run = await driveAgent(agent, { scene, server, script: finishScript });
    const vetoes = run.requests.filter((body) => body.includes("phasekit waive tests-fresh")).length;
    const ok = run.requests.length === 4 && vetoes === 2;
    checks.push({ what: `${transport}: a finish without tests is vetoed once`, ok, seen: run.output.slice(-500) });
    gaps.push([transport, await gap()]);
  }
  await removeHooks(agent.name, scene);
  const without = await gap();
  const cost = gaps.map(([way, ms]) => {
    const perEvent = (ms - without) / agent.eventsPerCall;
    return `${way} ${ms.toFixed(0)} ms (${perEvent.toFixed(1)} ms per event)`;
  });
  checks.push({
    what: `between two model requests, median: ${cost.join(", ")}, without hooks ${without.toFixed(0)} ms`,
    ok: true,
  });
  await installHooks(agent.name, scene, { mode: "gate" });
}

async function remove(agent: CanaryAgent, { scene, server, checks }: Stage): Promise<void> {
  const { home } = scene;
  const root = join(home, ".phasekit");
  await removeHooks(agent.name, scene);
  rmSync(join(root, "runs"), { recursive: true, force: true });
  // The cache of the `phasekit` command, which was called above; hooks write nothing there.
  rmSync(join(home, ".cache", "phasekit"), { recursive: true, force: true });
  const traces = filesIn(home)
    .filter((path) => /phasekit/i.test(relative(home, path)) || isOurs(path))
    .map((path) => relative(home, path));
  checks.push({
    what: "uninstall: no trace in the home folder but the runs",
    ok: traces.length === 0,
    seen: traces.join(", "),
  });
  const before = contentsOf(scene);
  await installHooks(agent.name, scene, { mode: "gate" });
  const installed = contentsOf(scene);
  await removeHooks(agent.name, scene);
  const after = contentsOf(scene);
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  );
  checks.push({
    what: "uninstall: every file of the home folder and the project is what it was, byte for byte",
    ok: changed.length === 0 && [...installed].some(([path, content]) => before.get(path) !== content),
    seen: changed.join(", "),
  });
  const run = await driveAgent(agent, { scene, server, script: finishScript.slice(0, 2) });
  ended(run, checks, "uninstall");
  checks.push({ what: "uninstall: no hook runs any more", ok: filesIn(root).length === 0 && !run.requests.some(said) });
}

/** The contents of all files of the home folder and the project, but for Phasekit's own; large ones by size. */
function contentsOf({ home, project }: Scene): ReadonlyMap<string, string> {
  const paths = [...filesIn(home), ...filesIn(project)].filter((path) => !/\/\.(?:cache\/)?phasekit\//.test(path));
  return new Map(
    paths.map((path) => {
      const { size } = statSync(path);
      return [path, size > 1_000_000 ? String(size) : readFileSync(path, "latin1")];
    }),
  );
}

/** Agents keep transcripts that quote hooks; settings that still name ours are a trace. */
function isOurs(path: string): boolean {
  if (!/(?:settings|hooks|config)[^/]*\.(?:json|toml)$/.test(path) || statSync(path).size > 1_000_000) return false;
  return readFileSync(path, "utf8").includes(".phasekit/bin");
}
