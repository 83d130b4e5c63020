import { spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { standaloneFile } from "../../packages/cli/standalone-from-source.ts";
import { exchange } from "../../packages/cli/src/hooks/client/exchange.ts";
import { hookPaths, type HookPaths } from "../../packages/cli/src/hooks/client/hook-paths.ts";

/** One answer of the hook command. */
interface HookResult {
  readonly code: number | null;
  readonly output: string;
  readonly ms: number;
}

/** A folder with Phasekit's hook command and server, as `phasekit init` leaves it. */
export interface HookMachine {
  readonly paths: HookPaths;
  /** Sends an event of Claude Code with the hook command, as the agent does. */
  readonly hook: (payload: object) => Promise<HookResult>;
  /** Sends an event over the socket; rejects if there is no server. */
  readonly send: (payload: object) => Promise<string>;
  /** The process of the server; undefined if there is none. */
  readonly server: () => number | undefined;
  readonly startServer: () => Promise<void>;
  readonly signalServer: (signal: NodeJS.Signals) => void;
  /** The lines of the logs of all runs that hold events. */
  readonly events: () => readonly string[];
  /** Spools that no server has read to their end. */
  readonly spools: () => readonly string[];
  readonly remove: () => void;
}

let sent = 0;

export function createHookMachine(): HookMachine {
  const root = mkdtempSync(join(tmpdir(), "pk-attack-"));
  chmodSync(root, 0o700);
  mkdirSync(join(root, "installs"));
  mkdirSync(join(root, "bin"));
  for (const file of ["hook.cjs", "server.mjs"]) cpSync(standaloneFile(file), join(root, "bin", file));
  writeFileSync(join(root, "hooks.json"), JSON.stringify({ modes: { "claude-code": "gate" } }));
  const paths = hookPaths(root);

  const server = (): number | undefined => {
    try {
      const { pid } = JSON.parse(readFileSync(paths.lock, "utf8")) as { readonly pid: number };
      process.kill(pid, 0);
      return pid;
    } catch {
      return undefined;
    }
  };
  const signalServer = (signal: NodeJS.Signals): void => {
    const pid = server();
    if (pid !== undefined) process.kill(pid, signal);
  };

  return {
    paths,
    server,
    signalServer,
    hook: (payload) =>
      new Promise((resolve) => {
        const startedAt = performance.now();
        const child = spawn(process.execPath, [join(paths.bin, "hook.cjs"), "claude-code"], { env: {} });
        let output = "";
        child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
        child.on("close", (code) => resolve({ code, output, ms: performance.now() - startedAt }));
        child.stdin.on("error", () => undefined);
        child.stdin.end(JSON.stringify({ cwd: root, ...payload }));
      }),
    send: (payload) =>
      exchange(
        {
          head: { id: `attack-${String((sent += 1))}`, agent: "claude-code", at: Date.now() },
          body: Buffer.from(JSON.stringify({ cwd: root, ...payload })),
        },
        { address: paths.socket, limitMs: 60_000 },
      ),
    startServer: async () => {
      const child = spawn(process.execPath, [join(paths.bin, "server.mjs")], {
        detached: true,
        stdio: "ignore",
        env: {},
      });
      child.unref();
      for (let polls = 0; polls < 500 && !existsSync(paths.socket); polls += 1)
        await new Promise((resolve) => setTimeout(resolve, 20));
    },
    events: () =>
      readdirSync(paths.runs, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".jsonl"))
        .flatMap((name) => readFileSync(join(paths.runs, name), "utf8").split("\n"))
        .filter((line) => line.startsWith('{"type":')),
    spools: () => readdirSync(root).filter((name) => name.startsWith("spool")),
    remove: () => {
      signalServer("SIGCONT");
      signalServer("SIGKILL");
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The median of numbers. */
export function median(all: readonly number[]): number {
  return quantile(all, 0.5);
}

/** The number below which a share of numbers is. */
export function quantile(all: readonly number[], share: number): number {
  return all.toSorted((a, b) => a - b)[Math.min(all.length - 1, Math.floor(all.length * share))] ?? 0;
}
