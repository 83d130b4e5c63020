import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { delimiter, dirname, join } from "node:path";
import type { CanaryAgent, Scene } from "./canary-agents.ts";
import type { DrivenRun } from "./drive-agent.ts";
import { killOnAbort } from "./kill-on-abort.ts";
import type { ModelServer, PlayOptions, Step } from "./model-server.ts";

/** The time opencode's server needs before it answers; asking earlier has left it silent. */
const WARM_UP_MS = 8000;
/** Phasekit notices within this time that opencode is gone. */
const GONE_MS = 3000;

/**
 * Drives `opencode serve` over HTTP: one session, one prompt, then waits until the model was asked as often as expected
 * or nothing more comes. `opencode run` exits when it is idle, before a veto can reach the model.
 */
export async function driveOpencodeServer(
  agent: CanaryAgent,
  {
    scene,
    server,
    script,
    ...options
  }: { readonly scene: Scene; readonly server: ModelServer; readonly script: readonly Step[] } & PlayOptions,
): Promise<DrivenRun> {
  server.play(script, options);
  const port = await freePort();
  const startedAt = performance.now();
  const path = [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter);
  const child = spawn(
    join(scene.agentFolder, "node_modules", ".bin", "opencode"),
    ["serve", "--hostname", "127.0.0.1", "--port", String(port)],
    {
      cwd: scene.project,
      env: { PATH: path, HOME: scene.home, NO_PROXY: "127.0.0.1", ...agent.env(scene) },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    },
  );
  killOnAbort(child, scene.signal);
  let output = "";
  const take = (chunk: Buffer): void => {
    output = (output + chunk.toString("utf8")).slice(-100_000);
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  let isTimedOut = false;
  try {
    await until(() => output.includes("listening"), 60_000);
    await wait(WARM_UP_MS);
    const base = `http://127.0.0.1:${String(port)}/session`;
    const { id } = (await post(base, {})) as { readonly id: string };
    await post(`${base}/${id}/message`, { parts: [{ type: "text", text: "Fix sum in sum.mjs." }] });
    isTimedOut = !(await until(() => server.requests().length >= script.length, agent.timeoutMs));
    // More than expected would be a veto too many.
    await wait(3000);
  } catch (error) {
    output += String(error);
  } finally {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, "SIGKILL");
    await wait(GONE_MS);
  }
  return {
    requests: [...server.requests()],
    exitCode: isTimedOut ? null : 0,
    isTimedOut,
    output,
    durationMs: Math.round(performance.now() - startedAt),
  };
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until(isTrue: () => boolean, limitMs: number): Promise<boolean> {
  for (let waited = 0; waited < limitMs; waited += 200) {
    if (isTrue()) return true;
    await wait(200);
  }
  return false;
}

async function post(url: string, body: object): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  });
  if (!response.ok) throw new Error(`${url} answers ${String(response.status)}: ${await response.text()}`);
  return response.json();
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen({ host: "127.0.0.1", port: 0 }, () => {
      const address = probe.address();
      probe.close(() => {
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
  });
}
