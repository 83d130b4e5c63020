import { claudeCode } from "./agents/claude-code.ts";
import { codex } from "./agents/codex.ts";
import { copilotCli } from "./agents/copilot-cli.ts";
import { cursor } from "./agents/cursor.ts";
import { geminiCli } from "./agents/gemini-cli.ts";
import { opencode, pi } from "./agents/in-process.ts";
import type { HookAgent } from "./hook-agent.ts";
import type { AgentName } from "./hook-event.ts";
import type { Payload } from "./payload.ts";

/** Every agent Phasekit runs inside. */
export const hookAgents: Readonly<Record<AgentName, HookAgent>> = {
  "claude-code": claudeCode,
  codex,
  "gemini-cli": geminiCli,
  "copilot-cli": copilotCli,
  cursor,
  opencode,
  pi,
};

/**
 * The agent that sent a payload. The command line says for which agent the hook was installed, but Cursor also calls
 * hooks that were installed for Claude Code: what the payload shows counts more.
 */
export function agentOf(payload: Payload, installedFor: AgentName | "auto"): HookAgent {
  if (hookAgents.cursor.recognizes(payload)) return hookAgents.cursor;
  // A plugin folder that Claude Code and Codex both read.
  if (installedFor === "auto")
    return hookAgents.codex.recognizes(payload) ? hookAgents.codex : hookAgents["claude-code"];
  return hookAgents[installedFor];
}
