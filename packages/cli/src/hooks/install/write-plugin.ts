import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hookAgents } from "@phasekit/hooks";
import { standaloneFile } from "#standalone-file";

/**
 * Writes a plugin folder that Claude Code and Codex both read. It carries the hook command and the server, and tells
 * the two agents apart by their payloads.
 */
export function writePlugin(
  folder: string,
  { version = "0.0.0" }: { readonly version?: string } = {},
): readonly string[] {
  const { events: claude } = hookAgents["claude-code"];
  const { events: codex } = hookAgents.codex;
  const command = 'node "${CLAUDE_PLUGIN_ROOT}/bin/hook.cjs" auto';
  const hooks = Object.fromEntries(
    Object.keys({ ...claude, ...codex }).map((event) => [
      event,
      [{ hooks: [{ type: "command", command, timeout: event === "SessionEnd" ? 3 : 5 }] }],
    ]),
  );
  const description = "Makes the session phase-aware: nudges when it stalls, asks for tests before done.";
  const files: Readonly<Record<string, object>> = {
    ".claude-plugin/plugin.json": { name: "phasekit", version, description },
    ".codex-plugin/plugin.json": { name: "phasekit", version, description, hooks: "./hooks/hooks.json" },
    "hooks/hooks.json": { hooks },
  };
  for (const [path, value] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), `${JSON.stringify(value, null, 2)}\n`);
  }
  mkdirSync(join(folder, "bin"), { recursive: true });
  const programs = ["hook.cjs", "server.mjs"];
  for (const file of programs) copyFileSync(standaloneFile(file), join(folder, "bin", file));
  return [...Object.keys(files), ...programs.map((file) => `bin/${file}`)];
}
