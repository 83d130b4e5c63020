import { isObject, listIn, nameIn, tableOf, toObject } from "@phasekit/core/adapter";
import { type AgentName, hookAgents } from "@phasekit/hooks";
import type { JsonPath } from "./json-text.ts";
import { type Shell, shellLine, shellWords } from "./shell-words.ts";

/** How an agent reaches Phasekit: by starting a command, or by an MCP tool (Codex). */
export type Transport = "command" | "mcp";

/** The programs that an entry starts. */
export interface HookProgram {
  /** The Node.js that runs the hook command. */
  readonly node: string;
  /** Phasekit's folder. */
  readonly root: string;
  /** True for settings that a project shares: they name no folder of one person. */
  readonly isShared: boolean;
  /** @default that of this process */
  readonly platform?: string;
}

/** Options for `hookEntries()`. */
export interface EntryOptions extends HookProgram {
  readonly transport: Transport;
  /** The secret that hooks pass to the MCP tool, and that the model does not know. */
  readonly token?: string;
}

/** The hook command below Phasekit's folder. */
export const hookFile = (root: string): string => `${root}/bin/hook.cjs`;

/** Silent for those without Phasekit. */
const SHARED_COMMAND = 'test ! -f "$HOME/.phasekit/bin/hook.cjs" || node "$HOME/.phasekit/bin/hook.cjs"';

/** Returns the command line of the hook. It does not change between versions, since Codex trusts a hook by its text. */
export function hookLine(
  { node, root, isShared }: HookProgram,
  words: readonly string[],
  { shell = "sh" }: { readonly shell?: Shell } = {},
): string {
  return isShared ? `${SHARED_COMMAND} ${words.join(" ")}` : shellLine([node, hookFile(root), ...words], shell);
}

/** The shell in which an agent runs the `command` of a hook. */
function shellOf(agent: AgentName, { platform = process.platform }: HookProgram): Shell {
  if (platform !== "win32") return "sh";
  switch (agent) {
    case "codex":
    case "cursor":
      return "cmd";
    case "gemini-cli":
      return "powershell";
    case "claude-code":
    case "copilot-cli":
    case "opencode":
    case "pi":
      return "sh";
  }
}

/** The hook entry for each event of an agent's settings. Agents with a file of their own have none. */
export function hookEntries(agent: AgentName, options: EntryOptions): ReadonlyMap<string, object> {
  return new Map(Object.keys(hookAgents[agent].events).map((event) => [event, entryOf(agent, event, options)]));
}

function entryOf(agent: AgentName, event: string, options: EntryOptions): object {
  const command = hookLine(options, [agent], { shell: shellOf(agent, options) });
  switch (agent) {
    case "claude-code":
      return { hooks: [{ type: "command", command, timeout: 5 }] };
    case "codex":
      if (options.transport === "mcp" && options.token !== undefined && event !== "SessionEnd") {
        const input = codexInput(event, options.token);
        return { hooks: [{ type: "mcp_tool", server: "phasekit", tool: "hook", input, timeout: 5 }] };
      }
      // Codex allows 3 seconds at the end of a session, and says so on the screen if an entry asks for more.
      return { hooks: [{ type: "command", command, timeout: event === "SessionEnd" ? 3 : 5 }] };
    case "gemini-cli":
      return {
        // It asks before every model call whether to shorten, and says so.
        ...(event === "PreCompress" && { matcher: "manual" }),
        hooks: [{ name: "phasekit", type: "command", command, timeout: 5000 }],
      };
    case "copilot-cli":
      return {
        type: "command",
        bash: hookLine(options, [agent, event]),
        powershell: hookLine(options, [agent, event], { shell: "powershell" }),
        timeoutSec: 5,
      };
    case "cursor":
      return { command, timeout: 5, ...(event === "stop" && { loop_limit: 3 }) };
    case "opencode":
    case "pi":
      return {};
  }
}

const CODEX_FIELDS: Readonly<Record<string, readonly string[]>> = tableOf({
  SessionStart: ["source"],
  UserPromptSubmit: ["turn_id", "prompt"],
  PreToolUse: ["turn_id", "tool_name", "tool_input", "tool_use_id"],
  PostToolUse: ["turn_id", "tool_name", "tool_input", "tool_use_id", "tool_response"],
  PostCompact: ["turn_id", "trigger"],
  Stop: ["turn_id", "stop_hook_active", "last_assistant_message"],
});

/** A template that is the whole text keeps the type of its value. */
function codexInput(event: string, token: string): object {
  const fields = ["session_id", "transcript_path", "cwd", "permission_mode", ...(CODEX_FIELDS[event] ?? [])];
  const values = fields.map((field): [string, string] => [field, `\${${field}}`]);
  return { token, hook_event_name: event, ...Object.fromEntries(values) };
}

/** A hook in an agent's settings: an element of its event's list, or of the list inside a group with a matcher. */
export interface Handler {
  readonly event: string;
  readonly path: JsonPath;
  readonly value: unknown;
}

/** The hooks in an agent's settings, whoever made them. */
export function handlersIn(settings: unknown): readonly Handler[] {
  return Object.entries(toObject(toObject(settings)["hooks"])).flatMap(([event, entries]) =>
    listIn(entries).flatMap((entry, index): readonly Handler[] => {
      const path = ["hooks", event, index];
      const group = toObject(entry)["hooks"];
      if (!Array.isArray(group)) return [{ event, path, value: entry }];
      return listIn(group).map((value, place) => ({ event, path: [...path, "hooks", place], value }));
    }),
  );
}

/** Returns what a hook runs: its command line, its address, or its tool. Two hooks that run the same are one. */
export function runsWhat(handler: unknown): string | undefined {
  const { type, command, bash, url, server, tool } = toObject(handler);
  if (type === "mcp_tool") return `mcp_tool ${JSON.stringify([server, tool])}`;
  return nameIn(command) ?? nameIn(bash) ?? nameIn(url);
}

/** Which hooks are Phasekit's. */
export type IsOurs = (handler: unknown) => boolean;

/** Returns a test for the hooks that were recorded at an installation, and for those of earlier versions. */
export function oursIn(
  agent: AgentName,
  { root, recorded = [] }: { readonly root: string; readonly recorded?: readonly string[] | undefined },
): IsOurs {
  const lines = new Set(recorded);
  return (handler) => {
    const line = runsWhat(handler);
    return line !== undefined && (lines.has(line) || isOfEarlierVersion(agent, { root, handler, line }));
  };
}

/** The exact shape of what earlier versions wrote for this agent and this folder. */
function isOfEarlierVersion(
  agent: AgentName,
  { root, handler, line }: { readonly root: string; readonly handler: unknown; readonly line: string },
): boolean {
  if (goesToPort(handler)) return line.endsWith(`/${agent}`);
  if (line === 'mcp_tool ["phasekit","hook"]') return agent === "codex";
  const calls = [agent, ...Object.keys(hookAgents[agent].events).map((event) => `${agent} ${event}`), "statusline"];
  if (line.startsWith(SHARED_COMMAND)) return calls.includes(line.slice(SHARED_COMMAND.length + 1));
  const [, file, ...words] = shellWords(line) ?? [];
  return file === hookFile(root) && calls.includes(words.join(" "));
}

/** The Node.js and Phasekit's folder that a hook of ours starts; undefined for other hooks. */
export function programOf(handler: unknown): Pick<HookProgram, "node" | "root"> | undefined {
  const [node, file, ...words] = shellWords(runsWhat(handler) ?? "") ?? [];
  if (node === undefined || file?.endsWith(hookFile("")) !== true || words.length === 0) return undefined;
  return { node, root: file.slice(0, -hookFile("").length) };
}

/** True if a hook sends events to a port, as earlier versions did: whoever listened there could answer. */
export function goesToPort(handler: unknown): boolean {
  const { type, url } = toObject(handler);
  return (
    isObject(handler) && type === "http" && /^http:\/\/127\.0\.0\.1:\d+\/phasekit\/[a-z-]+$/.test(nameIn(url) ?? "")
  );
}
