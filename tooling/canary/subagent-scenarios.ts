import type { CanaryAgent } from "./canary-agents.ts";
import { driveAgent } from "./drive-agent.ts";
import { REPORTED_USAGE, type Step } from "./model-server.ts";
import { installHooks } from "./run-phasekit.ts";
import { childLog, EDIT, ended, readRuns, resetProject, said, type Stage, STUCK, TEST } from "./stage.ts";

/** A sub-agent that loops reads the nudge itself; one that claims a false "done" is sent back. Its tokens are known. */
export async function subagents(agent: CanaryAgent, { scene, server, checks }: Stage): Promise<void> {
  const { delegate } = agent;
  if (delegate === undefined) return;
  const script: readonly Step[] = [...delegate.map((call): Step => ({ call })), { text: "Done." }];
  await installHooks(agent.name, scene, { mode: "nudge" });
  resetProject(scene);
  const stuck: readonly Step[] = [
    ...Array.from({ length: 6 }, (): Step => ({ shell: STUCK })),
    { text: "I could not." },
  ];
  const loop = await driveAgent(agent, { scene, server, script, subagent: stuck });
  ended(loop, checks, "sub-agent that loops");
  const first = server.subagentRequests().findIndex(said);
  checks.push({
    what: `sub-agent that loops: it reads the nudge itself (request ${String(first + 1)}), and its parent does not`,
    ok: first > 0 && !loop.requests.some(said),
    seen: `${String(server.subagentRequests().length)} requests of the sub-agent; ${loop.output.slice(-500)}`,
  });
  const child = childLog(scene);
  const tokens = child.split(`"inputTokens":${String(REPORTED_USAGE.input)}`).length - 1;
  const asked = server.subagentRequests().length;
  checks.push({
    what: `sub-agent that loops: it is a child run that ended, with the tokens of its ${String(asked)} answers`,
    ok: child.includes('"parent":{') && child.includes('"type":"run.finished"') && tokens >= asked,
    seen: `${String(tokens)} answers; ${child.slice(0, 300)} ... ${child.slice(-600)}`,
  });

  await installHooks(agent.name, scene, { mode: "gate" });
  resetProject(scene);
  const careless: readonly Step[] = [
    { shell: EDIT },
    { text: "Done." },
    { shell: TEST },
    { text: "Done, the tests pass." },
  ];
  const done = await driveAgent(agent, { scene, server, script, subagent: careless });
  ended(done, checks, "sub-agent with a false done");
  const vetoed = server.subagentRequests().filter((body) => body.includes("Run the tests")).length;
  checks.push({
    what: "sub-agent with a false done: it is sent back once, and let go after the tests ran",
    ok: vetoed > 0 && server.subagentRequests().length === 4,
    seen: `${String(server.subagentRequests().length)} requests, ${String(vetoed)} vetoed; ${readRuns(scene).slice(-600)}`,
  });
}
