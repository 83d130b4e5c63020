import { readFileSync } from "node:fs";
import process from "node:process";
import { isAgent } from "std-env";
import type { ExitCode } from "./exit-code.ts";
import { main } from "./main.ts";
import { createTerminal } from "./terminal.ts";

/** Runs one command line in this process. */
export async function runProgram(args: readonly string[]): Promise<ExitCode> {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    readonly version: string;
  };
  const leaving = new AbortController();
  // The first Ctrl-C stops the command; the second ends the process.
  process.once("SIGINT", () => {
    leaving.abort();
  });
  process.once("SIGTERM", () => {
    leaving.abort();
  });
  // A reader such as `head` may close the pipe: that is not an error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 4));
  const { stdin, stdout, stderr, env, argv } = process;
  return await main(args, {
    terminal: createTerminal({ stdin, stdout, stderr, env, isAgent, argv }),
    env,
    cwd: process.cwd(),
    now: Date.now,
    signal: leaving.signal,
    version,
  });
}
