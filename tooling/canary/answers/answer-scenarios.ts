import type { Mode } from "@phasekit/core";
import { hookPaths } from "../../../packages/cli/src/hooks/client/hook-paths.ts";
import { lockHolder } from "../../../packages/cli/src/hooks/server/server-lock.ts";
import { join } from "node:path";
import type { CanaryAgent, Scene } from "../canary-agents.ts";
import { type DrivenRun, driveAgent } from "../drive-agent.ts";
import { driveOpencodeServer } from "../drive-opencode-server.ts";
import { driveTalk } from "../drive-talk.ts";
import type { ModelServer, PlayOptions, Step } from "../model-server.ts";
import { childLog, EDIT, resetProject, said, STUCK, TEST } from "../stage.ts";
import { installHooks } from "../run-phasekit.ts";
import { differences, liveStory, loggedStory } from "./read-answers.ts";

/** One cell of the table: what happened, and whether the live run and the agent's own log say the same. */
export interface Answer {
  readonly happened: string;
  readonly liveAndLog?: string;
}

/** Where a scenario takes place. */
export interface AnswerStage {
  readonly agent: CanaryAgent;
  readonly scene: Scene;
  readonly server: ModelServer;
}

interface Played {
  readonly run: DrivenRun;
  /** The request that first held a text of Phasekit, from 0; -1 if none did. */
  readonly first: number;
  readonly vetoed: readonly string[];
}

const steps = (count: number, shell: string): readonly Step[] => Array.from({ length: count }, () => ({ shell }));
const DONE: Step = { text: "Done. All tests pass." };
const tested: readonly Step[] = [{ shell: TEST }, DONE];
const isVeto = (body: string): boolean => body.includes("phasekit waive ");
const asksForTests = (body: string): boolean => body.includes("Run the tests");

async function play(
  { agent, scene, server }: AnswerStage,
  mode: Mode,
  { script, ...options }: PlayOptions & { readonly script: readonly Step[] },
): Promise<Played> {
  await installHooks(agent.name, scene, { mode });
  resetProject(scene);
  const needsServer = agent.vetoIn === "server" && mode === "gate" && options.subagent === undefined;
  const drive = needsServer ? driveOpencodeServer : driveAgent;
  const run = await drive(agent, { scene, server, script, ...options });
  return { run, first: run.requests.findIndex(said), vetoed: run.requests.filter(isVeto) };
}

/** Adds what the run is said to have come to. */
async function told({ agent, scene }: AnswerStage, mode: Mode, happened: string): Promise<Answer> {
  const { told: live } = await liveStory(scene);
  const outcome = `${happened}; ${live.reason}, ${live.verdict}`;
  return { happened: outcome, liveAndLog: differences(live, loggedStory(agent, scene, mode)) };
}

const at = (index: number): string => (index < 0 ? "nothing said" : `@${String(index)}`);

async function loops(stage: AnswerStage, mode: Mode): Promise<Answer> {
  const { first } = await play(stage, mode, { script: [...steps(8, STUCK), { text: "I could not do it." }] });
  return told(stage, mode, first < 0 ? "silent" : `nudge ${at(first)}`);
}

async function finishes(stage: AnswerStage, script: readonly Step[]): Promise<Answer> {
  const { run, vetoed } = await play(stage, "gate", { script });
  const first = run.requests.findIndex(isVeto);
  return told(stage, "gate", vetoed.length === 0 ? "not vetoed" : `vetoed ${at(first)}`);
}

async function healthy(stage: AnswerStage): Promise<Answer> {
  const { run } = await play(stage, "gate", { script: [{ shell: "cat sum.mjs" }, { shell: EDIT }, ...tested] });
  return told(stage, "gate", `${String(run.requests.filter(said).length)} requests with text added`);
}

async function killed(stage: AnswerStage): Promise<Answer> {
  const script = [{ shell: "cat sum.mjs" }, { shell: EDIT }, DONE, ...tested];
  const outcomes: string[] = [];
  for (let index = 1; index < script.length; index += 1) {
    const onRequest = (request: number): void => {
      const pid = request === index ? lockHolder(hookPaths(join(stage.scene.home, ".phasekit"))) : undefined;
      if (pid !== undefined) process.kill(pid, "SIGKILL");
    };
    const { vetoed } = await play(stage, "gate", { script, onRequest });
    const { told: live } = await liveStory(stage.scene);
    outcomes.push(`${vetoed.length > 0 ? "vetoed" : "no veto"}, ${String(live.calls)} calls`);
  }
  const [one = ""] = outcomes;
  const isSame = outcomes.every((outcome) => outcome === one);
  return { happened: isSame ? `at each of ${String(outcomes.length)}: ${one}` : outcomes.join("; ") };
}

/** A sub-agent's own requests, and the run it has. */
async function subagentLoops(stage: AnswerStage): Promise<Answer> {
  const { delegate, report } = stage.agent;
  if (delegate === undefined) return { happened: "no sub-agents" };
  const words = "I could not.";
  const last: Step = report === undefined ? { text: words } : { call: report(words) };
  const { first } = await play(stage, "nudge", {
    script: [...delegate.map((call): Step => ({ call })), { text: "Done." }],
    subagent: [...steps(4, STUCK), last],
  });
  const own = stage.server.subagentRequests().findIndex(said);
  const child = childLog(stage.scene);
  const tokens = child.split('"type":"model.answered"').length - 1;
  const reason = /"type":"run\.finished".*?"reason":"(\w+)"/.exec(child)?.[1] ?? "not yet";
  return {
    happened: `nudge ${at(own)} of the sub-agent, parent ${at(first)}; child run: ${reason}, tokens of ${String(tokens)} answers`,
  };
}

async function subagentFalselyDone(stage: AnswerStage): Promise<Answer> {
  const { delegate, report, vetoesSubagents } = stage.agent;
  if (delegate === undefined) return { happened: "no sub-agents" };
  const last: Step = report === undefined ? { text: "Done." } : { call: report("Done.") };
  const isOwn = vetoesSubagents !== false;
  const { run } = await play(stage, "gate", {
    script: [...delegate.map((call): Step => ({ call })), { text: "Done." }, ...(isOwn ? [] : tested)],
    subagent: [{ shell: EDIT }, last, ...(isOwn ? tested : [])],
  });
  if (stage.server.subagentRequests().some(asksForTests)) return { happened: "the sub-agent is sent back" };
  const heard = run.requests.some((body) => asksForTests(body) && !isVeto(body)) ? ["hears it"] : [];
  const parent = [...heard, ...(run.requests.some(isVeto) ? ["is sent back"] : [])];
  return { happened: parent.length === 0 ? "not vetoed" : `its parent ${parent.join(" and ")}` };
}

async function continued(stage: AnswerStage): Promise<Answer> {
  const { agent, scene, server } = stage;
  const { continuing } = agent;
  if (continuing === undefined) return { happened: "not driven" };
  await play(stage, "observe", { script: [{ shell: "cat sum.mjs" }, { text: "I will go on tomorrow." }] });
  // The next day, the local server has left.
  const pid = lockHolder(hookPaths(join(scene.home, ".phasekit")));
  if (pid !== undefined) process.kill(pid, "SIGTERM");
  await driveAgent({ ...agent, command: continuing }, { scene, server, script: [{ shell: EDIT }, ...tested] });
  return told(stage, "observe", "continued");
}

async function compacted(stage: AnswerStage): Promise<Answer> {
  const { agent, scene, server } = stage;
  const { talk, compactPrompt, shorten } = agent;
  if (shorten !== undefined) {
    shorten(scene);
    const script = [{ shell: EDIT }, { shell: "ls" }, { shell: "cat sum.mjs" }, { shell: "pwd" }, DONE];
    await play(stage, "nudge", { script, fullAt: 1 });
  } else if (talk !== undefined && compactPrompt !== undefined) {
    await installHooks(agent.name, scene, { mode: "nudge" });
    resetProject(scene);
    server.play([
      { shell: EDIT },
      { text: "Changed." },
      { text: "<summary>sum.mjs was changed.</summary>" },
      { text: "Done." },
    ]);
    await driveTalk({ ...agent, talk }, { scene, prompts: ["Fix sum in sum.mjs.", compactPrompt, "Go on with sum."] });
  } else if (compactPrompt !== undefined) return await compactedByUser(stage, compactPrompt);
  else return { happened: "its hooks do not tell" };
  const first = server.requests().findIndex((body) => body.includes("This is the state of the work"));
  return { happened: first < 0 ? "no checkpoint" : `checkpoint @${String(first)}` };
}

/** The user continues a session with the command that shortens it: what they say next has a checkpoint. */
async function compactedByUser(stage: AnswerStage, command: string): Promise<Answer> {
  const { agent, scene, server } = stage;
  await play(stage, "nudge", { script: [{ shell: EDIT }, { text: "Changed." }] });
  const again = { ...agent, command: (where: Scene) => agent.continuing?.(where, command) ?? [] };
  const { requests } = await driveAgent(again, { scene, server, script: [{ shell: "ls" }, { text: "Done." }] });
  const first = requests.findIndex((body) => body.includes("This is the state of the work"));
  return {
    happened: `${first < 0 ? "no checkpoint" : `checkpoint @${String(first)}`} after the user's ${command} only`,
  };
}

const readScript = [
  ...Array.from({ length: 20 }, (_, index) => ({ shell: `echo ${String(index)}` })),
  { text: "Read." },
];

/** The rows of the table. */
export const answerScenarios: Readonly<Record<string, (stage: AnswerStage) => Promise<Answer>>> = {
  "observe, 8 equal failures": (stage) => loops(stage, "observe"),
  "nudge, 8 equal failures": (stage) => loops(stage, "nudge"),
  "gate, edit and a false done": (stage) => finishes(stage, [{ shell: EDIT }, DONE, ...tested]),
  "gate, insists without doing anything": (stage) => finishes(stage, [{ shell: EDIT }, DONE, DONE]),
  "gate, edit, `echo ok`, done": (stage) => finishes(stage, [{ shell: EDIT }, { shell: "echo ok" }, DONE, ...tested]),
  "gate, healthy": healthy,
  "gave up": async (stage) => {
    await play(stage, "observe", { script: [{ shell: STUCK }, { text: "I could not do it." }] });
    return told(stage, "observe", "ended");
  },
  "continued the next day": continued,
  compaction: compacted,
  "a sub-agent that loops": subagentLoops,
  "a false done in a sub-agent": subagentFalselyDone,
  "server killed at a request": killed,
};

/** The time between two model requests, in milliseconds, of twenty calls that do nothing. */
export async function requestGaps({ agent, scene, server }: AnswerStage): Promise<readonly number[]> {
  await driveAgent(agent, { scene, server, script: readScript });
  return server.gaps();
}
