import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { canaryAgents } from "../canary/canary-agents.ts";

const run = promisify(execFile);

/** A command of an agent that looks at a folder it installs, and what it prints if all is well. */
interface Validation {
  readonly agent: "claude-code" | "gemini-cli";
  readonly command: readonly [program: string, ...words: string[]];
  readonly says: string;
}

const VALIDATIONS: readonly Validation[] = [
  { agent: "claude-code", command: ["claude", "plugin", "validate", "plugins/phasekit"], says: "Validation passed" },
  { agent: "claude-code", command: ["claude", "plugin", "validate", "."], says: "Validation passed" },
  { agent: "gemini-cli", command: ["gemini", "extensions", "validate", "."], says: "successfully validated" },
];

interface ValidateOptions {
  /** A clone of the repository, which is what users install from. */
  readonly folder: string;
  /** Where the agents are installed, and stay. */
  readonly programs: string;
  readonly home: string;
  readonly signal: AbortSignal;
}

/** Asks the agents themselves about what they install from the repository. Returns what they object to. */
export async function validatePlugin({ folder, programs, home, signal }: ValidateOptions): Promise<readonly string[]> {
  const installed = join(programs, "plugin-validators");
  const agents = canaryAgents.filter(({ name }) => VALIDATIONS.some(({ agent }) => agent === name));
  if (!existsSync(join(installed, "node_modules/.package-lock.json"))) {
    const dependencies = Object.fromEntries(agents.map(({ packageName, version }) => [packageName, version]));
    mkdirSync(installed, { recursive: true });
    writeFileSync(join(installed, "package.json"), JSON.stringify({ private: true, dependencies }));
    await run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: installed, signal });
  }
  mkdirSync(home, { recursive: true });
  const env = { ...process.env, HOME: home, USERPROFILE: home, NO_COLOR: "1", NODE_OPTIONS: "" };
  const problems: string[] = [];
  for (const {
    command: [program, ...words],
    says,
  } of VALIDATIONS) {
    const path = join(installed, "node_modules/.bin", program);
    const { stdout, stderr } = await run(path, words, { cwd: folder, env, signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      return error as { readonly stdout: string; readonly stderr: string };
    });
    const said = `${stdout}${stderr}`;
    if (!said.includes(says)) problems.push(`${program} ${words.join(" ")}: ${said.slice(0, 1000)}`);
  }
  return problems;
}
