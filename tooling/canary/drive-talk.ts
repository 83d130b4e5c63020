import { spawn } from "node:child_process";
import { delimiter, dirname } from "node:path";
import { createInterface } from "node:readline";
import type { CanaryAgent, Scene } from "./canary-agents.ts";
import { killOnAbort } from "./kill-on-abort.ts";

/** Sends several prompts to one session of an agent that reads them from its standard input. */
export async function driveTalk(
  agent: CanaryAgent & Required<Pick<CanaryAgent, "talk">>,
  { scene, prompts }: { readonly scene: Scene; readonly prompts: readonly string[] },
): Promise<void> {
  const { command, write, isDone } = agent.talk;
  const [program = "", ...args] = command(scene);
  const path = [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter);
  const child = spawn(program, args, {
    cwd: scene.project,
    env: { PATH: path, HOME: scene.home, NO_PROXY: "127.0.0.1", ...agent.env(scene) },
    stdio: ["pipe", "pipe", "ignore"],
    detached: true,
  });
  killOnAbort(child, scene.signal);
  child.stdin.on("error", () => undefined);
  const left = [...prompts];
  const next = (): void => {
    const prompt = left.shift();
    if (prompt === undefined) child.stdin.end();
    else child.stdin.write(`${write(prompt)}\n`);
  };
  const timer = setTimeout(() => {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, agent.timeoutMs);
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (isDone(line)) next();
  });
  next();
  await new Promise((resolve) => child.on("close", resolve));
  clearTimeout(timer);
}
