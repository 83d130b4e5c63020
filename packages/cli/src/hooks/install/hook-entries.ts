import { type AgentName, hookAgents } from "@phasekit/hooks";

/** How an agent reaches Phasekit: by starting a command, or by an MCP tool (Codex). */
export type Transport = "command" | "mcp";

/** Options for `hookEntries()`. */
export interface EntryOptions {
  /** The command line without the agent's name; the same for all versions, since Codex trusts a hook by its text. */
  readonly command: string;
  readonly transport: Transport;
  /** The secret that hooks pass to the MCP tool, and that the model does not know. */
  readonly token?: string;
}

type Entries = Readonly<Record<string, readonly object[]>>;

/** The hook entries for an agent's settings, by event. Agents with a file of their own have none. */
export function hookEntries(agent: AgentName, options: EntryOptions): Entries {
  const entries = Object.keys(hookAgents[agent].events).map((event): [string, readonly object[]] => [
    event,
    [entryOf(agent, event, options)],
  ]);
  return Object.fromEntries(entries);
}

function entryOf(agent: AgentName, event: string, { command, transport, token }: EntryOptions): object {
  switch (agent) {
    case "claude-code":
      return { hooks: [{ type: "command", command: `${command} claude-code`, timeout: 5 }] };
    case "codex":
      if (transport === "mcp" && token !== undefined && event !== "SessionEnd")
        return {
          hooks: [{ type: "mcp_tool", server: "phasekit", tool: "hook", input: codexInput(event, token), timeout: 5 }],
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

/** Entries of earlier versions, which whoever listened on the port of the local server could answer. */
const OVER_HTTP = /http:\/\/127\.0\.0\.1:\d+\/phasekit\//;

/** True if settings, or an entry of them, send events to a port, as earlier versions did. */
export function sendsOverHttp(entry: unknown): boolean {
  return OVER_HTTP.test(JSON.stringify([entry]));
}

/** True if an entry of an agent's settings was made by Phasekit. */
export function isOurEntry(entry: unknown): boolean {
  return OURS.test(JSON.stringify([entry]));
}
