import { spawn } from "node:child_process";
import { delimiter, dirname } from "node:path";
import type { CanaryAgent, Scene } from "./canary-agents.ts";
import { killOnAbort } from "./kill-on-abort.ts";
import { type ModelServer, type PlayOptions, PROMPT, type Step } from "./model-server.ts";

/** Phasekit waits less than this for the last lines of an agent's log. */
const END_MS = 3000;

/** How one run of an agent went. */
export interface DrivenRun {
  /** Bodies of the model requests, in order. */
  readonly requests: readonly string[];
  readonly exitCode: number | null;
  readonly isTimedOut: boolean;
  readonly output: string;
  readonly durationMs: number;
}

/** Plays a script to a real agent: a clean environment, closed input, a time limit. */
export async function driveAgent(
  agent: CanaryAgent,
  {
    scene,
    server,
    script,
    ...options
  }: { readonly scene: Scene; readonly server: ModelServer; readonly script: readonly Step[] } & PlayOptions,
): Promise<DrivenRun> {
  server.play(script, options);
  const [command = "", ...args] = agent.command(scene, PROMPT);
  const startedAt = Date.now();
  const path = [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter);
  const child = spawn(command, args, {
    cwd: scene.project,
    env: { PATH: path, HOME: scene.home, NO_PROXY: "127.0.0.1", ...agent.env(scene) },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  killOnAbort(child, scene.signal);
  let output = "";
  const take = (chunk: Buffer): void => {
    output = (output + chunk.toString("utf8")).slice(-100_000);
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  let isTimedOut = false;
  const exitCode = await new Promise<number | null>((resolve) => {
    const timer = setTimeout(() => {
      isTimedOut = true;
      // The whole group, since agents start processes of their own.
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    }, agent.timeoutMs);
    child.on("error", (error) => {
      output += String(error);
      resolve(null);
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve(code);
    });
  });
  if (agent.endsLate === true) await new Promise((resolve) => setTimeout(resolve, END_MS));
  return { requests: [...server.requests()], exitCode, isTimedOut, output, durationMs: Date.now() - startedAt };
}
