import { hookPaths } from "../../packages/cli/src/hooks/client/hook-paths.ts";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CanaryAgent, Scene } from "./canary-agents.ts";
import { driveAgent } from "./drive-agent.ts";
import { driveTalk } from "./drive-talk.ts";
import { startModelServer } from "./model-server.ts";
import { newestLog } from "./newest-log.ts";
import { type RecordedCall, startRecorder, withEqualNames } from "./recorder.ts";
import { installHooks, removeHooks } from "./run-phasekit.ts";
import { sessionScripts } from "./log-scenarios.ts";
import { resetProject } from "./stage.ts";

/** Longer texts are the vendor's. */
const MAX_TEXT = 1200;

/**
 * Records one session of a real agent twice: the hook calls it made, and the log it wrote itself. Agents that can be
 * talked to get a second prompt in the same session. Returns the number of hook calls.
 */
export async function recordSession(
  agent: CanaryAgent,
  { agentFolder, into, signal }: { readonly agentFolder: string; readonly into: string; readonly signal: AbortSignal },
): Promise<number> {
  if (agent.logFolder === undefined) return 0;
  const folder = mkdtempSync(join(tmpdir(), `pk-session-${agent.name}-`));
  const server = await startModelServer({ protocol: agent.protocol, shell: agent.shell });
  const scene: Scene = {
    home: join(folder, "home"),
    project: join(folder, "project"),
    agentFolder,
    port: server.port,
    signal,
  };
  mkdirSync(scene.home, { recursive: true });
  mkdirSync(scene.project, { recursive: true });
  resetProject(scene);
  agent.prepare(scene);
  await installHooks(agent.name, scene, { mode: "observe" });
  const paths = hookPaths(join(scene.home, ".phasekit"));
  const calls: RecordedCall[] = [];
  const stop = await startRecorder(paths.socket, calls);
  try {
    const [first, second] = sessionScripts;
    const { talk } = agent;
    if (talk === undefined) await driveAgent(agent, { scene, server, script: first });
    else {
      server.play([...first, ...second]);
      await driveTalk({ ...agent, talk }, { scene, prompts: ["Fix sum in sum.mjs.", "Now add a comment."] });
    }
    // Half a recording must not replace a session.
    signal.throwIfAborted();
    const log = newestLog(join(scene.home, agent.logFolder));
    if (log === undefined) throw new Error(`no log in ${agent.logFolder}`);
    const session = withEqualNames({ agent: agent.name, calls, log: withoutPrompts(log) }, scene);
    mkdirSync(into, { recursive: true });
    writeFileSync(join(into, `${agent.name}.json`), `${JSON.stringify(session, null, 1)}\n`);
  } finally {
    await stop();
    await server.close();
    await removeHooks(agent.name, scene);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
  return calls.length;
}

/** The log without the vendor's prompts: they are not ours to copy, and the session can be read without them. */
function withoutPrompts(log: string): string {
  if (isDocument(log)) return JSON.stringify(JSON.parse(log), cut);
  return log
    .split("\n")
    .map((line) => (line === "" ? line : JSON.stringify(JSON.parse(line), cut)))
    .join("\n");
}

function isDocument(log: string): boolean {
  try {
    JSON.parse(log);
    return true;
  } catch {
    return false;
  }
}

function cut(key: string, value: unknown): unknown {
  if (typeof value === "string") return value.length > MAX_TEXT ? "(cut)" : value;
  if (typeof value !== "object" || value === null) return value;
  const { role, type } = value as { readonly role?: unknown; readonly type?: unknown };
  if (key === "attachment") return { type };
  if (role === "developer" || role === "system") return { ...value, content: "(cut)", sections: undefined };
  if (type === "world_state" || type === "turn_context" || type === "system.message")
    return { ...value, payload: {}, data: {} };
  return value;
}
