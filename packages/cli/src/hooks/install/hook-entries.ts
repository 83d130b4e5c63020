import { type AgentName, hookAgents } from "@phasekit/hooks";

/** How an agent reaches Phasekit: by starting a command, over HTTP (Claude Code), or by an MCP tool (Codex). */
export type Transport = "command" | "http" | "mcp";

/** Options for `hookEntries()`. */
export interface EntryOptions {
  /** The command line without the agent's name; the same for all versions, since Codex trusts a hook by its text. */
  readonly command: string;
  readonly transport: Transport;
  readonly http?: { readonly port: number; readonly token: string };
}

type Entries = Readonly<Record<string, readonly object[]>>;

/** Events that Claude Code does not send over HTTP in time, or that have to start the server. */
const BY_COMMAND: ReadonlySet<string> = new Set(["SessionStart", "UserPromptSubmit", "SessionEnd"]);

/** The hook entries for an agent's settings, by event. Agents with a file of their own have none. */
export function hookEntries(agent: AgentName, options: EntryOptions): Entries {
  const entries = Object.keys(hookAgents[agent].events).map((event): [string, readonly object[]] => [
    event,
    [entryOf(agent, event, options)],
  ]);
  return Object.fromEntries(entries);
}

function entryOf(agent: AgentName, event: string, { command, transport, http }: EntryOptions): object {
  switch (agent) {
    case "claude-code":
      return {
        hooks: [
          transport === "http" && http !== undefined && !BY_COMMAND.has(event)
            ? {
                type: "http",
                url: `http://127.0.0.1:${String(http.port)}/phasekit/claude-code`,
                headers: { Authorization: `Bearer ${http.token}` },
                // In seconds. A server that hangs must not hold the agent for longer.
                timeout: 1,
              }
            : { type: "command", command: `${command} claude-code`, timeout: 5 },
        ],
      };
    case "codex":
      if (transport === "mcp" && http !== undefined && event !== "SessionEnd")
        return {
          hooks: [
            { type: "mcp_tool", server: "phasekit", tool: "hook", input: codexInput(event, http.token), timeout: 5 },
          ],
        };
      // Codex allows 3 seconds at the end of a session, and says so on the screen if an entry asks for more.
      return { hooks: [{ type: "command", command: `${command} codex`, timeout: event === "SessionEnd" ? 3 : 5 }] };
    case "gemini-cli":
      return { hooks: [{ name: "phasekit", type: "command", command: `${command} gemini-cli`, timeout: 5000 }] };
    case "copilot-cli":
      return {
        type: "command",
        bash: `${command} copilot-cli ${event}`,
        powershell: `& ${command} copilot-cli ${event}`,
        timeoutSec: 5,
      };
    case "cursor":
      return { command: `${command} cursor`, timeout: 5, ...(event === "stop" && { loop_limit: 3 }) };
    case "opencode":
    case "pi":
      return {};
  }
}

const CODEX_FIELDS: Readonly<Record<string, readonly string[]>> = {
  SessionStart: ["source"],
  UserPromptSubmit: ["turn_id", "prompt"],
  PreToolUse: ["turn_id", "tool_name", "tool_input", "tool_use_id"],
  PostToolUse: ["turn_id", "tool_name", "tool_input", "tool_use_id", "tool_response"],
  Stop: ["turn_id", "stop_hook_active", "last_assistant_message"],
};

/** A template that is the whole text keeps the type of its value. */
function codexInput(event: string, token: string): object {
  const fields = ["session_id", "transcript_path", "cwd", "permission_mode", ...(CODEX_FIELDS[event] ?? [])];
  const values = fields.map((field): [string, string] => [field, `\${${field}}`]);
  return { token, hook_event_name: event, ...Object.fromEntries(values) };
}

const OURS = /[/\\]\.?phasekit[^"']*[/\\]hook\.cjs|127\.0\.0\.1:\d+\/phasekit\/|"server":"phasekit","tool":"hook"/;

/** True if an entry of an agent's settings was made by Phasekit. */
export function isOurEntry(entry: unknown): boolean {
  return OURS.test(JSON.stringify([entry]));
}
