import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { CanaryAgent } from "./canary-agents.ts";
import { compareWithLog } from "./compare-with-log.ts";
import { driveAgent } from "./drive-agent.ts";
import type { Step } from "./model-server.ts";
import { installHooks } from "./run-phasekit.ts";
import { checkTokens, EDIT, finishScript, readRuns, resetProject, type Stage, TEST } from "./stage.ts";

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
export async function agree(agent: CanaryAgent, { scene, server, checks }: Stage): Promise<void> {
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
