import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { hookAgents } from "@phasekit/hooks";
import { standaloneFile } from "#standalone-file";

/** The programs that a plugin carries: the hook command, and the server it starts. */
const PROGRAMS = ["hook.cjs", "server.mjs"];

/** Metadata of the plugin that its marketplaces show. */
export const pluginMetadata = {
  name: "phasekit",
  description: "Records why a session stalls or stops; nudges it and asks for tests before done, if you set a mode.",
  author: { name: "Phasekit", url: "https://github.com/phasekit/phasekit" },
  homepage: "https://github.com/phasekit/phasekit#readme",
  repository: "https://github.com/phasekit/phasekit",
  license: "MIT",
  keywords: ["hooks", "loops", "tests", "evidence", "observability"],
} as const;

/**
 * Writes a plugin folder that Claude Code and Codex both read. It carries the hook command and the server, and tells
 * the two agents apart by their payloads.
 */
export function writePlugin(
  folder: string,
  { version = "0.0.0" }: { readonly version?: string } = {},
): readonly string[] {
  const files = pluginManifests(version);
  for (const [path, value] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), jsonText(value));
  }
  mkdirSync(join(folder, "bin"), { recursive: true });
  for (const file of PROGRAMS) copyFileSync(standaloneFile(file), join(folder, "bin", file));
  return [...Object.keys(files), ...PROGRAMS.map((file) => `bin/${file}`)];
}

/** The manifests of the plugin by their path. */
function pluginManifests(version: string): Readonly<Record<string, object>> {
  const { events: claude } = hookAgents["claude-code"];
  const { events: codex } = hookAgents.codex;
  const { description } = pluginMetadata;
  const command = 'node "${CLAUDE_PLUGIN_ROOT}/bin/hook.cjs" auto';
  const shown = { displayName: "Phasekit", shortDescription: description, category: "Productivity" };
  return {
    ".claude-plugin/plugin.json": { ...pluginMetadata, version },
    ".codex-plugin/plugin.json": { ...pluginMetadata, version, hooks: "./hooks/hooks.json", interface: shown },
    "hooks/hooks.json": {
      hooks: hooksOf({ ...claude, ...codex }, (event) => ({
        type: "command",
        command,
        // Codex allows 3 seconds at the end of a session, and says so on the screen if an entry asks for more.
        timeout: event === "SessionEnd" ? 3 : 5,
      })),
    },
  };
}

/** The manifests of an extension of Gemini CLI by their path; `programs` is where it keeps the hook command. */
export function geminiExtension(version: string, programs: string): Readonly<Record<string, object>> {
  const { name, description } = pluginMetadata;
  const command = `node "\${extensionPath}/${programs}/hook.cjs" gemini-cli`;
  const { events } = hookAgents["gemini-cli"];
  return {
    "gemini-extension.json": { name, version, description },
    "hooks/hooks.json": { hooks: hooksOf(events, () => ({ name, type: "command", command, timeout: 5000 })) },
  };
}

/** One hook for each event. */
function hooksOf(
  events: Readonly<Record<string, unknown>>,
  hookOf: (event: string) => object,
): Readonly<Record<string, readonly object[]>> {
  return Object.fromEntries(Object.keys(events).map((event) => [event, [{ hooks: [hookOf(event)] }]]));
}

/** JSON as it is written to a file. */
export function jsonText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
