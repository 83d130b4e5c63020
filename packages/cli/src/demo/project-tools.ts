import type { PlainTool } from "@phasekit/core";
import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, resolve, sep } from "node:path";
import process from "node:process";

const LIMIT_MS = 20_000;
const MAX_OUTPUT = 16_000;

/** A tool of the demo agent: its definition and its implementation. */
export interface ProjectTool extends Omit<PlainTool, "execute"> {
  readonly run: (input: Readonly<Record<string, unknown>>) => Promise<unknown>;
}

/** Tools that read, edit and run commands in one folder only. */
export function projectTools(folder: string): readonly ProjectTool[] {
  const path = (input: Readonly<Record<string, unknown>>): string => {
    const found = resolve(folder, String(input["path"]));
    if (!found.startsWith(folder + sep)) throw new Error("That path is outside the project.");
    return found;
  };
  return [
    {
      name: "read_file",
      description: "Reads a file.",
      inputSchema: schema("path"),
      run: (input) => readFile(path(input), "utf8"),
    },
    {
      name: "write_file",
      description: "Writes a file.",
      inputSchema: schema("path", "content"),
      run: async (input) => {
        await mkdir(dirname(path(input)), { recursive: true });
        await writeFile(path(input), String(input["content"]));
        return `Wrote ${String(input["path"])}.`;
      },
    },
    {
      name: "bash",
      description: "Runs a command in the project.",
      inputSchema: schema("command"),
      run: (input) => runCommand(String(input["command"]), folder),
    },
  ];
}

function schema(...names: readonly string[]): ProjectTool["inputSchema"] {
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
    required: [...names],
  };
}

/** Runs a command and returns its exit code and output. */
export function runCommand(
  command: string,
  cwd: string,
): Promise<{ readonly exitCode: number; readonly stdout: string }> {
  return new Promise((done) => {
    // This Node, whichever other one may be on the path; and no test runner that thinks it runs inside another.
    const { NODE_TEST_CONTEXT: _context, NODE_OPTIONS: _options, ...env } = process.env;
    const own = command.replace(/^node\b/, `"${process.execPath}"`);
    const child = spawn(own, { cwd, shell: true, timeout: LIMIT_MS, env: { ...env, NO_COLOR: "1" } });
    let output = "";
    const keep = (chunk: Buffer): void => {
      if (output.length < MAX_OUTPUT) output += chunk.toString();
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("error", (error) => {
      done({ exitCode: 127, stdout: error.message });
    });
    child.on("close", (exitCode) => {
      // The folder of the demo has another name each time, and says nothing.
      done({ exitCode: exitCode ?? 1, stdout: output.slice(0, MAX_OUTPUT).replaceAll(`${cwd}/`, "") });
    });
  });
}
