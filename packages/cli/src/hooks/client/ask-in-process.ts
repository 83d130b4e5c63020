import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { HookAnswer } from "@phasekit/hooks";
import { runHookCommand } from "./hook-command.ts";
import { defaultRoot, hookPaths } from "./hook-paths.ts";

/** How long an agent waits for an answer at most. */
const LIMIT_MS = 900;
/** How long it waits at a finish; see the hook command. */
const FINISH_LIMIT_MS = 3500;

/** Asks the local server from inside an agent's process. Always resolves; whatever fails is an empty answer. */
export function createAsk(agent: "opencode" | "pi"): (payload: object) => Promise<HookAnswer> {
  const paths = hookPaths(defaultRoot(process.env));
  const sender = { sender: crypto.randomUUID(), pid: process.pid };
  return async (payload) => {
    try {
      const reply = await runHookCommand({
        agent,
        sender,
        payload: Buffer.from(JSON.stringify({ hook: agent, ...payload })),
        paths,
        limitMs: LIMIT_MS,
        finishLimitMs: FINISH_LIMIT_MS,
        startServer: () => {
          const child = spawn(nodeOf(paths.config), [join(paths.bin, "server.mjs")], {
            detached: true,
            stdio: "ignore",
            cwd: paths.root,
          });
          child.on("error", () => undefined);
          child.unref();
          return Promise.resolve();
        },
      });
      return reply === "" ? {} : (JSON.parse(reply) as HookAnswer);
    } catch {
      return {};
    }
  };
}

/** The Node.js that installed Phasekit: this process may be another runtime. */
function nodeOf(config: string): string {
  try {
    const { node } = JSON.parse(readFileSync(config, "utf8")) as { readonly node?: unknown };
    return typeof node === "string" ? node : "node";
  } catch {
    return "node";
  }
}
