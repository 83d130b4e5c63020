import { spawn } from "node:child_process";
import { join } from "node:path";
import { fromSources } from "@phasekit/tooling/source-condition";
import { type CliResult, processEnv } from "./run-cli.ts";

const BIN = join(import.meta.dirname, "../src/bin.ts");

/** Options for `runHook()`. */
export interface RunHookOptions {
  readonly home: string;
  readonly cwd: string;
  /** The payload on standard input. */
  readonly input: string;
  /** @default "hook" */
  readonly command?: string;
}

/** Runs `phasekit hook`, or another command that reads standard input, as an agent does. */
export function runHook(
  args: readonly string[],
  { home, cwd, input, command = "hook" }: RunHookOptions,
): Promise<CliResult> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, fromSources(BIN, command, ...args), {
      cwd,
      env: { ...processEnv, HOME: home },
    });
    let out = "";
    let error = "";
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (error += chunk.toString()));
    child.on("close", (code) => {
      resolve({ code, out, error });
    });
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}
