import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type AgentName, agentNames } from "@phasekit/hooks";

/** Folders an agent makes in the user's home when it first runs. */
const FOLDERS: Readonly<Record<AgentName, readonly string[]>> = {
  "claude-code": [".claude"],
  codex: [".codex"],
  "gemini-cli": [".gemini"],
  "copilot-cli": [".copilot"],
  cursor: [".cursor"],
  opencode: [".config/opencode", ".local/share/opencode"],
  pi: [".pi"],
};

/** The agents that have run on this machine. */
export function findAgents({ home = homedir() }: { readonly home?: string } = {}): readonly AgentName[] {
  return agentNames.filter((agent) => FOLDERS[agent].some((folder) => existsSync(join(home, folder))));
}
