import type { AgentName } from "@phasekit/hooks";
import type { Transport } from "./hook-entries.ts";

/** Whose settings an installation goes into: the user's, the project's (shared), or the project's (private). */
export type InstallScope = "user" | "project" | "local";

/** Where an installation goes. */
export interface InstallPlace {
  /** @default "user" */
  readonly scope?: InstallScope;
  /** The user's home folder. */
  readonly home: string;
  /** The project's folder. */
  readonly cwd: string;
  /** Phasekit's folder. @default `.phasekit` in `home` */
  readonly root?: string;
}

/** The file an installation changes. */
export function installTarget(
  agent: AgentName,
  { scope = "user", home, cwd }: Pick<InstallPlace, "scope" | "home" | "cwd">,
): string {
  const base = scope === "user" ? home : cwd;
  switch (agent) {
    case "claude-code":
      return `${base}/.claude/${scope === "local" ? "settings.local.json" : "settings.json"}`;
    case "codex":
      return `${base}/.codex/hooks.json`;
    case "gemini-cli":
      return `${base}/.gemini/settings.json`;
    case "copilot-cli":
      return scope === "user" ? `${home}/.copilot/hooks/phasekit.json` : `${cwd}/.github/hooks/phasekit.json`;
    case "cursor":
      return `${base}/.cursor/hooks.json`;
    case "opencode":
      return scope === "user" ? `${home}/.config/opencode/plugin/phasekit.js` : `${cwd}/.opencode/plugin/phasekit.js`;
    case "pi":
      return scope === "user" ? `${home}/.pi/agent/extensions/phasekit.ts` : `${cwd}/.pi/extensions/phasekit.ts`;
  }
}

/** The file of Codex that names MCP servers. */
export const codexConfig = (target: string): string => target.replace(/hooks\.json$/, "config.toml");

/** The scopes an agent's settings have. */
export function installScopes(agent: AgentName): readonly InstallScope[] {
  return agent === "claude-code" ? ["user", "project", "local"] : ["user", "project"];
}

/** The ways an agent can reach Phasekit, the default first; none for agents that load a file of Phasekit's own. */
export function installTransports(agent: AgentName, scope: InstallScope = "user"): readonly Transport[] {
  if (isInProcess(agent)) return [];
  // A shared file must not hold a token.
  return agent === "codex" && scope !== "project" ? ["command", "mcp"] : ["command"];
}

/** True for agents that load a file of Phasekit's own. */
export function isInProcess(agent: AgentName): agent is "opencode" | "pi" {
  return agent === "opencode" || agent === "pi";
}

/** Members that an agent's settings must have beside their hooks. */
export function settingsDefaults(agent: AgentName): object {
  return agent === "copilot-cli" || agent === "cursor" ? { version: 1 } : {};
}
