import { mkdirSync, writeSync } from "node:fs";
import { runHookCommand } from "./hook-command.ts";
import type { HookPaths } from "./hook-paths.ts";
import { isFinish } from "./is-finish.ts";

/** How long one event may take, from the start of the process. */
const LIMIT_MS = 950;
/** How long a finish may take: a server that was killed has to start first, and no later event could make up for it. */
const FINISH_LIMIT_MS = 3500;
const MAX_PAYLOAD = 32 * 1024 * 1024;

/** Options for `hookMain()`. */
export interface HookMainOptions {
  readonly paths: HookPaths;
  /** The command line that starts the server. */
  readonly serverCommand: readonly string[];
}

/**
 * The hook command: `<agent> [event]`, the payload on standard input. Prints the answer, or nothing; the exit code is
 * always 0. `statusline` instead of an agent prints the status line; `mcp <agent>` serves the tool that an agent's
 * hooks call.
 */
export async function hookMain(args: readonly string[], { paths, serverCommand }: HookMainOptions): Promise<void> {
  const [agent = "", event] = args;
  const startServer = async (): Promise<void> => {
    // Only the first event of a day needs it.
    const { spawn } = await import("node:child_process");
    mkdirSync(paths.root, { recursive: true, mode: 0o700 });
    const [command = process.execPath, ...rest] = serverCommand;
    const child = spawn(command, rest, { detached: true, stdio: "ignore", cwd: paths.root });
    child.on("error", () => undefined);
    child.unref();
  };
  if (agent === "mcp") {
    const { serveMcpBridge } = await import("./mcp-bridge.ts");
    await serveMcpBridge({
      input: process.stdin,
      send: (line) => process.stdout.write(`${line}\n`),
      config: paths.config,
      ask: (payload) =>
        runHookCommand({
          agent: event ?? "",
          payload: Buffer.from(JSON.stringify(payload)),
          paths,
          limitMs: LIMIT_MS,
          finishLimitMs: FINISH_LIMIT_MS,
          startServer,
        }),
    });
    return;
  }
  // Without `performance`, which takes a millisecond to load.
  const left = (limit: number): number => Math.max(50, limit - process.uptime() * 1000);
  const limitMs = left(LIMIT_MS);
  const finishLimitMs = left(FINISH_LIMIT_MS);
  let keep = (): void => undefined;
  const leave = (): void => {
    keep();
    process.exit(0);
  };
  // The agent never waits longer than this. Twice, so that a reply that is here is read first.
  const leaveAfter = (limit: number): NodeJS.Timeout => setTimeout(() => setTimeout(leave, 10), limit + 50).unref();
  const timer = leaveAfter(limitMs);
  const payload = await readInput();
  if (payload === undefined) return;
  if (isFinish(event, payload)) {
    clearTimeout(timer);
    leaveAfter(finishLimitMs);
  }
  if (agent === "statusline") {
    const { readStatusLine } = await import("./read-status-line.ts");
    // In a person's terminal, the line ends.
    print(`${await readStatusLine(payload.toString("utf8"), paths)}${process.stdout.isTTY ? "\n" : ""}`);
  } else {
    const named = event === undefined ? {} : { event };
    const onPending = (keepEvent: () => void): void => {
      keep = keepEvent;
    };
    print(await runHookCommand({ agent, ...named, payload, paths, limitMs, finishLimitMs, startServer, onPending }));
  }
  // The agent waits for the end of this process: what is open is of no use to anyone.
  process.exit(0);
}

/** Writes without a stream: setting up the stream of standard output takes longer than all else that is done here. */
function print(text: string): void {
  let rest = Buffer.from(text);
  // A pipe that is full says so, and is empty again soon.
  for (let tries = 0; rest.length > 0 && tries < 1000; tries += 1) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

function readInput(): Promise<Buffer | undefined> {
  // A person who tries the command has no payload to send.
  if (process.stdin.isTTY) return Promise.resolve(Buffer.alloc(0));
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    process.stdin.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_PAYLOAD) resolve(undefined);
      else chunks.push(chunk);
    });
    process.stdin.on("end", () => resolve(Buffer.concat(chunks)));
    process.stdin.on("error", () => resolve(undefined));
  });
}
