import { spawn } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import type { Scene } from "./canary-agents.ts";

const BIN = join(import.meta.dirname, "../../packages/cli/dist/bin.js");

/** The command line of `phasekit`, for a shell. */
export const phasekitCommand = `"${process.execPath}" "${BIN}"`;

/** The result of a command line. */
export interface PhasekitResult {
  readonly code: number | null;
  readonly output: string;
}

/** Runs `phasekit` as the user does: in the project, with their home. */
export function runPhasekit(
  { home, project, agentFolder }: Pick<Scene, "home" | "project" | "agentFolder">,
  args: readonly string[],
): Promise<PhasekitResult> {
  return new Promise((resolve) => {
    // The agent's own program, too: doctor asks Codex what it trusts.
    const path = [dirname(process.execPath), join(agentFolder, "node_modules", ".bin"), "/usr/bin", "/bin"];
    const child = spawn(process.execPath, [BIN, ...args], {
      cwd: project,
      env: { PATH: path.join(delimiter), HOME: home, COLUMNS: "200" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const take = (chunk: Buffer): void => {
      output += chunk.toString("utf8");
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.on("close", (code) => {
      resolve({ code, output });
    });
  });
}

/** Installs the hooks with `phasekit init`. Throws if that fails. */
export async function installHooks(
  agent: string,
  scene: Pick<Scene, "home" | "project" | "agentFolder">,
  { mode, transport }: { readonly mode: "observe" | "nudge" | "gate"; readonly transport?: string },
): Promise<void> {
  const more = transport === undefined ? [] : ["--transport", transport];
  const { code, output } = await runPhasekit(scene, ["init", agent, "--mode", mode, ...more, "--yes"]);
  if (code !== 0) throw new Error(`phasekit init exits with ${String(code)}: ${output}`);
}

/** Removes the hooks with `phasekit init --uninstall`. */
export async function removeHooks(
  agent: string,
  scene: Pick<Scene, "home" | "project" | "agentFolder">,
): Promise<PhasekitResult> {
  return await runPhasekit(scene, ["init", agent, "--uninstall", "--yes"]);
}
