import { readFileSync } from "node:fs";
import { installTarget } from "../../packages/cli/src/hooks/install/install-target.ts";
import type { CanaryAgent } from "./canary-agents.ts";
import { driveAgent } from "./drive-agent.ts";
import { driveOpencodeServer } from "./drive-opencode-server.ts";
import type { Step } from "./model-server.ts";
import { installHooks, runPhasekit } from "./run-phasekit.ts";
import { EDIT, ended, finishScript, readRuns, resetProject, type Stage, tail } from "./stage.ts";

/** In mode gate, the agent cannot change its hooks, and an untested finish is vetoed once. */
export async function gate(agent: CanaryAgent, { scene, server, checks }: Stage): Promise<void> {
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
    seen: [
      `${String(finish.requests.length)} requests`,
      `${String(vetoes.length)} vetoed`,
      finish.output.slice(-400),
    ].join(", "),
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
