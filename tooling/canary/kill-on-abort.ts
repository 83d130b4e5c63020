import type { ChildProcess } from "node:child_process";

/**
 * Kills an agent and the processes it started when Ctrl-C aborts the signal: it is detached, so the terminal does not
 * reach it.
 */
export function killOnAbort(child: ChildProcess, signal: AbortSignal | undefined): void {
  const kill = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  };
  if (signal?.aborted === true) kill();
  signal?.addEventListener("abort", kill);
  child.on("exit", () => signal?.removeEventListener("abort", kill));
}
