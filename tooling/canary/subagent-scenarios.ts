import type { CanaryAgent } from "./canary-agents.ts";
import { driveAgent } from "./drive-agent.ts";
import { REPORTED_USAGE, type Step } from "./model-server.ts";
import { installHooks } from "./run-phasekit.ts";
import { childLog, EDIT, ended, readRuns, resetProject, said, type Stage, STUCK, tail, TEST } from "./stage.ts";

type AgentWithSubagents = CanaryAgent & Required<Pick<CanaryAgent, "delegate">>;

/** A sub-agent that loops reads the nudge itself; one that claims a false "done" is sent back. Its tokens are known. */
export async function subagents(agent: CanaryAgent, stage: Stage): Promise<void> {
  const { delegate } = agent;
  if (delegate === undefined) return;
  await loop({ ...agent, delegate }, stage);
  await falseDone({ ...agent, delegate }, stage);
}

const lastWords = ({ report }: CanaryAgent, text: string): Step =>
  report === undefined ? { text } : { call: report(text) };

async function loop(agent: AgentWithSubagents, { scene, server, checks }: Stage): Promise<void> {
  const script: readonly Step[] = [...agent.delegate.map((call): Step => ({ call })), { text: "Done." }];
  await installHooks(agent.name, scene, { mode: "nudge" });
  resetProject(scene);
  // Gemini CLI ends a sub-agent that makes the same call five times.
  const stuck = Array.from({ length: 4 }, (): Step => ({ shell: STUCK }));
  const subagent = [...stuck, lastWords(agent, "I could not.")];
  const run = await driveAgent(agent, { scene, server, script, subagent });
  ended(run, checks, "sub-agent that loops");
  const requests = server.subagentRequests();
  const first = requests.findIndex(said);
  checks.push({
    what: `sub-agent that loops: it reads the nudge itself (request ${String(first + 1)}), and its parent does not`,
    ok: first > 0 && !run.requests.some(said),
    seen: `${String(requests.length)} requests of the sub-agent; ${run.output.slice(-500)}`,
  });
  const child = childLog(scene);
  const tokens = child.split(`"inputTokens":${String(REPORTED_USAGE.input)}`).length - 1;
  checks.push({
    what: `sub-agent that loops: a child run that ended, with the tokens of its ${String(requests.length)} answers`,
    ok: child.includes('"parent":{') && child.includes('"type":"run.finished"') && tokens === requests.length,
    seen: `${String(tokens)} answers; ${child.slice(0, 300)} ... ${child.slice(-600)}`,
  });
  const parent = readRuns(scene);
  checks.push({
    what: "sub-agent that loops: none of its calls is in the run of its parent, which heard of its end",
    ok: !/"type":"tool\.finished".*cannot open config/.test(parent) && parent.includes('"type":"child.finished"'),
    seen: tail(parent),
  });
}

async function falseDone(agent: AgentWithSubagents, { scene, server, checks }: Stage): Promise<void> {
  await installHooks(agent.name, scene, { mode: "gate" });
  resetProject(scene);
  const tested: readonly Step[] = [{ shell: TEST }, { text: "Done, the tests pass." }];
  const careless = [{ shell: EDIT }, lastWords(agent, "Done.")];
  const isSentBack = agent.vetoesSubagents !== false;
  const delegating = agent.delegate.map((call): Step => ({ call }));
  const script = [...delegating, { text: "Done." }, ...(isSentBack ? [] : tested)];
  const subagent = isSentBack ? [...careless, ...tested] : careless;
  const run = await driveAgent(agent, { scene, server, script, subagent });
  ended(run, checks, "sub-agent with a false done");
  if (!isSentBack)
    checks.push({
      what: "sub-agent with a false done: its parent hears what is open with the result",
      ok: run.requests.some((body) => body.includes("A sub-agent of yours finished") && body.includes("Run the tests")),
      seen: run.requests.at(-1)?.slice(-800) ?? "no request",
    });
  // `opencode run` leaves before its own finish can be vetoed.
  if (agent.vetoIn === "server") return;
  const requests = isSentBack ? server.subagentRequests() : run.requests;
  const vetoed = requests.filter((body) => body.includes("Run the tests")).length;
  checks.push({
    what: `sub-agent with a false done: ${isSentBack ? "it" : "its parent"} is sent back once, and let go after tests`,
    ok: vetoed > 0 && requests.length === (isSentBack ? subagent : script).length,
    seen: `${String(requests.length)} requests, ${String(vetoed)} vetoed; ${tail(readRuns(scene))}`,
  });
}
