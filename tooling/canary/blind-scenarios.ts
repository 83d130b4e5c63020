import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { hookPaths } from "../../packages/cli/src/hooks/client/hook-paths.ts";
import { lockHolder } from "../../packages/cli/src/hooks/server/server-lock.ts";
import type { CanaryAgent, Scene } from "./canary-agents.ts";
import { driveAgent } from "./drive-agent.ts";
import type { Step } from "./model-server.ts";
import { installHooks, runPhasekit } from "./run-phasekit.ts";
import { checkTokens, EDIT, ended, readRuns, resetProject, type Stage, TEST } from "./stage.ts";

const script: readonly Step[] = [
  { shell: "cat sum.mjs" },
  { shell: EDIT },
  { text: "All done." },
  { shell: TEST },
  { text: "All done, the tests pass." },
];

const vetoedIn = (requests: readonly string[]): boolean =>
  requests.some((body) => body.includes("phasekit waive tests-fresh"));

/** Kills the server of a scene; the hooks started it. */
function killServer(scene: Scene): void {
  const pid = lockHolder(hookPaths(join(scene.home, ".phasekit")));
  if (pid !== undefined) process.kill(pid, "SIGKILL");
}

/** A server is killed, or cannot be started for a while: nothing of the session is lost, and the time is recorded. */
export async function neverBlind(agent: CanaryAgent, { scene, server, checks }: Stage): Promise<void> {
  if (agent.vetoIn === "server") return;
  await installHooks(agent.name, scene, { mode: "gate" });
  for (let killed = 1; killed < script.length; killed += 1) {
    resetProject(scene);
    const onRequest = (index: number): void => {
      if (index === killed) killServer(scene);
    };
    const run = await driveAgent(agent, { scene, server, script, onRequest });
    ended(run, checks, `server killed at request ${String(killed)}`);
    const log = readRuns(scene);
    const calls = log.split('"type":"tool.finished"').length - 1;
    checks.push({
      what: `server killed at request ${String(killed)}: all 3 calls are recorded, an untested finish is vetoed once`,
      ok: calls === 3 && vetoedIn(run.requests) && run.requests.length === 5,
      seen: `${String(calls)} calls, ${String(run.requests.length)} requests; ${log.slice(-600)}`,
    });
    checkTokens(log, run, checks);
  }
  await absentServer(agent, { scene, server, checks });
}

/** The server is away for two requests, and nothing is spooled: what was missed comes from the agent's own log. */
async function absentServer(agent: CanaryAgent, { scene, server, checks }: Stage): Promise<void> {
  resetProject(scene);
  const { bin, spool } = hookPaths(join(scene.home, ".phasekit"));
  const [program, away] = [join(bin, "server.mjs"), join(bin, "server.away")];
  const onRequest = (index: number): void => {
    if (index === 1) {
      renameSync(program, away);
      killServer(scene);
    } else if (index === 2 && existsSync(away)) {
      renameSync(away, program);
      // Without these, an agent that names its own log is still caught up with.
      if (agent.namesLog === true) rmSync(spool, { force: true });
    }
  };
  const run = await driveAgent(agent, { scene, server, script, onRequest });
  ended(run, checks, "server away for a call");
  const log = readRuns(scene);
  const how = /"name":"watch\.blind","data":(\{[^}]*\})/.exec(log)?.[1];
  checks.push({
    what: `server away for a call: the log has the blind time, and the finish is vetoed (${how ?? "no time"})`,
    ok: how !== undefined && vetoedIn(run.requests) && !how.includes('"lost"'),
    seen: `${String(run.requests.length)} requests; ${log.slice(-900)}`,
  });
  const { output } = await runPhasekit(scene, ["why", "--latest"]);
  checks.push({ what: "server away for a call: why says so", ok: /Blind from/.test(output), seen: output });
  const doctor = await runPhasekit(scene, ["doctor"]);
  checks.push({
    what: "server away for a call: doctor says so",
    ok: /Blind from/.test(doctor.output),
    seen: doctor.output,
  });
}
