import { appendFileSync, existsSync, statSync } from "node:fs";
import type { HookPaths } from "../client/hook-paths.ts";
import { readHookConfig } from "./hook-config.ts";
import { liveConfigLoader } from "./live-config.ts";
import { serveHooks } from "./serve-hooks.ts";

const MAX_LOG = 1024 * 1024;

/** The local server as a process: serves until it is idle or asked to leave. */
export async function serverMain(paths: HookPaths): Promise<void> {
  const onError = (problem: unknown): void => {
    try {
      if ((statSync(paths.log, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG) return;
      const text = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem);
      appendFileSync(paths.log, `${new Date().toISOString()} ${text}\n`, { mode: 0o600 });
    } catch {
      // A log that cannot be written must not end the server.
    }
  };
  process.on("uncaughtException", onError);
  process.on("unhandledRejection", onError);
  const [, file] = process.argv;
  const isWanted = (): boolean => file === undefined || existsSync(file);
  const loadConfig = liveConfigLoader({ module: () => readHookConfig(paths.config).configLoader });
  try {
    const server = await serveHooks({ paths, onError, isWanted, loadConfig });
    if (server === undefined) return;
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => void server.close());
    await server.closed;
  } catch (error) {
    onError(error);
    process.exit(1);
  }
  process.exit(0);
}
