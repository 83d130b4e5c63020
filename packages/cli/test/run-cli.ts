import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromSources } from "@phasekit/tooling/source-condition";
import { main } from "../src/main.ts";
import { createTerminal } from "../src/terminal.ts";
import type { FakeTty } from "./fake-tty.ts";

const BIN = join(import.meta.dirname, "../src/bin.ts");
/** The program as it is published. */
export const BUILT = join(import.meta.dirname, "../dist/bin.js");

/** Joins the parts of an error line: code, what happened, why, fix. */
export const errorLine = (...parts: readonly string[]): string => `${parts.join(" — ")}\n`;

/** The result of a command line. */
export interface CliResult {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** Options for `phasekit()`. */
export interface RunOptions {
  readonly cwd?: string;
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** True for the built program, which `pnpm test:full` makes. @default false: the sources */
  readonly built?: boolean;
}

/** Options for `phasekitHere()`. */
export interface RunHereOptions extends RunOptions {
  readonly signal?: AbortSignal;
  /** Called with the output while the command runs. */
  readonly onOut?: (text: string) => Promise<void>;
  /** The terminal of a person; without one, output goes to a pipe. */
  readonly tty?: FakeTty;
  /** @default false */
  readonly stderrIsTty?: boolean;
}

/** Creates an empty folder, used as home or project, so that tests read nothing of this machine. */
export function emptyHome(): string {
  return mkdtempSync(join(tmpdir(), "phasekit-home-"));
}

/** Runs a command line in this process, from the sources: faster than starting a program for each row of a table. */
export async function phasekitHere(
  args: readonly string[],
  {
    cwd = emptyHome(),
    home = emptyHome(),
    env = {},
    signal = new AbortController().signal,
    onOut,
    tty,
    stderrIsTty = false,
  }: RunHereOptions = {},
): Promise<CliResult> {
  let out = "";
  let error = "";
  const all = { HOME: home, ...(tty === undefined && { COLUMNS: "80" }), ...env };
  const terminal = createTerminal({
    ...(tty !== undefined && { stdin: tty.stdin }),
    stdout: tty?.stdout ?? {
      write: (text) => {
        out += text;
        void onOut?.(text);
      },
    },
    stderr: { write: (text) => (error += text), isTTY: stderrIsTty },
    env: all,
    isAgent: env["AI_AGENT"] !== undefined,
  });
  const code = await main(args, { terminal, env: all, cwd, now: Date.now, signal, version: "0.0.0" });
  return { code, out: tty?.written() ?? out, error };
}

/** The part of this environment that a process of ours needs. Node keeps compiled sources by their content. */
export const processEnv: Readonly<NodeJS.ProcessEnv> = {
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
};

/** Runs the program in a process of its own, without a terminal or colors, in an empty home. */
export function phasekit(
  args: readonly string[],
  { cwd = emptyHome(), home = emptyHome(), env = {}, built = false }: RunOptions = {},
): Promise<CliResult> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, built ? [BUILT, ...args] : fromSources(BIN, ...args), {
      cwd,
      env: { ...processEnv, HOME: home, COLUMNS: "80", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let out = "";
    let error = "";
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (error += chunk.toString()));
    child.on("close", (code) => {
      resolve({ code, out, error });
    });
  });
}

/** Returns the object that a command prints with `--json`. */
export async function phasekitJson(
  args: readonly string[],
  options?: Parameters<typeof phasekit>[1],
): Promise<Readonly<Record<string, unknown>> & { readonly exitCode: number }> {
  const { out, code } = await phasekit([...args, "--json"], options);
  const lines = out.trimEnd().split("\n");
  if (lines.length !== 1) throw new Error(`not one object but ${String(lines.length)} lines: ${out.slice(0, 400)}`);
  const data = JSON.parse(lines[0] ?? "") as { readonly exitCode: number };
  if (data.exitCode !== code)
    throw new Error(`exitCode ${String(data.exitCode)} is printed, ${String(code)} was given`);
  return data;
}
