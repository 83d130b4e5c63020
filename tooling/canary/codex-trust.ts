import { type CodexHook, readCodexHooks } from "../../packages/cli/src/hooks/install/codex-trust.ts";
import { appendFileSync, existsSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { CanaryAgent, Scene } from "./canary-agents.ts";
import { driveAgent } from "./drive-agent.ts";
import type { ModelServer } from "./model-server.ts";
import { installHooks, runPhasekit } from "./run-phasekit.ts";
import type { CheckList } from "./stage.ts";

/**
 * Checks Codex without the bypass: hooks are skipped until they are trusted, run afterwards, and remain trusted when
 * Phasekit is installed again.
 */
export async function checkCodexTrust(
  agent: CanaryAgent,
  { scene, server, checks }: { readonly scene: Scene; readonly server: ModelServer; readonly checks: CheckList },
): Promise<void> {
  const { home, project, agentFolder } = scene;
  const runs = join(home, ".phasekit", "runs");
  const strict: CanaryAgent = {
    ...agent,
    command: (where, prompt) => agent.command(where, prompt).filter((arg) => arg !== "--dangerously-bypass-hook-trust"),
  };
  const drive = async (): Promise<boolean> => {
    rmSync(runs, { recursive: true, force: true });
    await driveAgent(strict, { scene, server, script: [{ shell: "echo hi" }, { text: "Done." }] });
    return existsSync(runs);
  };
  const list = async (): Promise<readonly CodexHook[]> => {
    const path = [dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter);
    const command = join(agentFolder, "node_modules", ".bin", "codex");
    return (await readCodexHooks({ command, cwd: project, env: { PATH: path, HOME: home } })) ?? [];
  };
  const install = (mode: "observe" | "gate"): Promise<void> => installHooks("codex", scene, { mode });

  await install("gate");
  checks.push({ what: "trust: Codex skips hooks that are not trusted", ok: !(await drive()) });
  const before = await runPhasekit(scene, ["doctor"]);
  checks.push({
    what: "trust: doctor says that Codex skips them",
    ok: before.output.includes("Codex trusts 0 of 6 hooks"),
    seen: before.output,
  });
  const hooks = await list();
  const trust = hooks.map(({ key, currentHash }) => `[hooks.state."${key}"]\ntrusted_hash = "${currentHash}"\n`);
  appendFileSync(join(home, ".codex", "config.toml"), `\n${trust.join("\n")}`);
  checks.push({
    what: `trust: once trusted, all ${String(hooks.length)} hooks run`,
    ok: hooks.length === 6 && (await drive()),
  });
  await install("observe");
  await install("gate");
  const again = await list();
  const ok = again.length === 6 && again.every(({ trustStatus }) => trustStatus === "trusted") && (await drive());
  checks.push({
    what: "trust: they remain trusted after another installation with another mode",
    ok,
    seen: again.map(({ key, trustStatus }) => `${key} ${trustStatus}`).join("\n"),
  });
}
