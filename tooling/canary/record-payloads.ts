import { hookPaths } from "../../packages/cli/src/hooks/client/hook-paths.ts";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CanaryAgent, Scene } from "./canary-agents.ts";
import { driveAgent } from "./drive-agent.ts";
import { startModelServer, type Step } from "./model-server.ts";
import { type RecordedCall, startRecorder, withEqualNames } from "./recorder.ts";
import { installHooks, removeHooks } from "./run-phasekit.ts";

/**
 * Records the hook payloads of a real agent, for the golden files: a recorder takes the place of our server and
 * answers nothing. Paths, ids and times are made the same for every machine.
 */
export async function recordPayloads(
  agent: CanaryAgent,
  { agentFolder, into, signal }: { readonly agentFolder: string; readonly into: string; readonly signal: AbortSignal },
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), `pk-record-${agent.name}-`));
  const model = await startModelServer({ protocol: agent.protocol, shell: agent.shell });
  const scene: Scene = {
    home: join(folder, "home"),
    project: join(folder, "project"),
    agentFolder,
    port: model.port,
    signal,
  };
  mkdirSync(scene.home, { recursive: true });
  mkdirSync(scene.project, { recursive: true });
  writeFileSync(join(scene.project, "sum.mjs"), "export const sum = (a, b) => a - b;\n");
  agent.prepare(scene);
  await installHooks(agent.name, scene, { mode: "observe" });
  const paths = hookPaths(join(scene.home, ".phasekit"));
  const recorded: RecordedCall[] = [];
  const stop = await startRecorder(paths.socket, recorded);
  try {
    await driveAgent(agent, {
      scene,
      server: model,
      script: [
        { shell: "cat sum.mjs" },
        { shell: "exit 3" },
        { shell: "sed -i 's/a - b/a + b/' sum.mjs" },
        { text: "Done." },
      ],
    });
    const { delegate } = agent;
    if (delegate !== undefined)
      await driveAgent(agent, {
        scene,
        server: model,
        script: [...delegate.map((call): Step => ({ call })), { text: "Done." }],
        subagent: [{ shell: "exit 3" }, { text: "I looked around." }],
      });
  } finally {
    await stop();
    await model.close();
    await removeHooks(agent.name, scene);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
  // Half a recording must not replace a golden file.
  signal.throwIfAborted();
  mkdirSync(into, { recursive: true });
  writeFileSync(join(into, `${agent.name}.json`), `${JSON.stringify(madeEqual(recorded, scene), null, 2)}\n`);
  return recorded.length;
}

/** Times are replaced, too. */
function madeEqual(recorded: readonly RecordedCall[], scene: Scene): unknown {
  const calls = recorded.map(({ event, payload }) => ({ ...(event !== undefined && { event }), payload }));
  const text = JSON.stringify(withEqualNames(calls, scene))
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.-]+Z?/g, "2026-01-01T00:00:00.000Z")
    .replaceAll(/"(timestamp|duration_ms)":\d+/g, '"$1":1')
    .replaceAll(/sessions\/\d{4}\/\d\d\/\d\d/g, "sessions/2026/01/01");
  return JSON.parse(text) as unknown;
}
