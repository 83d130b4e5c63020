import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { root } from "@phasekit/tooling/workspace";
import type { Block, Output } from "./blocks.ts";

const LIMIT_MS = 60_000;
const HOOKS = import.meta.resolve("./resolve-packages.ts");

/** Runs a block as a program of its own; what was wrong, if something was. */
export async function runBlock({ code, folder, page, line }: Block): Promise<string | undefined> {
  const { failure, printed } = await runNode(["--import", HOOKS, "--input-type=module-typescript", "-"], {
    cwd: folder,
    input: code,
  });
  const at = /\[eval\d*\]:(\d+)/.exec(printed)?.[1] ?? line;
  return failure === undefined ? undefined : `${page}:${at} ${failure}\n${printed}`;
}

/** Runs a program and compares what it prints with what the page says. */
export async function compareOutput({ page, line, text, program }: Output): Promise<string | undefined> {
  const path = join(root, program);
  const { failure, printed } = await runNode([path], { cwd: dirname(path), input: "" });
  if (failure !== undefined) return `${page}:${line} ${program} ${failure}\n${printed}`;
  return printed === text.trim() ? undefined : `${page}:${line} is not what ${program} prints now:\n${printed}`;
}

interface ProgramResult {
  /** How it ended, if it failed. */
  readonly failure: string | undefined;
  readonly printed: string;
}

function runNode(
  args: readonly string[],
  { cwd, input }: { readonly cwd: string; readonly input: string },
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd, timeout: LIMIT_MS });
    let printed = "";
    const keep = (chunk: Buffer) => (printed += chunk.toString());
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("close", (exitCode, signal) => {
      const failure = signal === null ? `ended with exit code ${String(exitCode)}` : `was ended by ${signal}`;
      resolve({ failure: exitCode === 0 ? undefined : failure, printed: printed.trim() });
    });
    child.stdin.end(input);
  });
}
