import type { HookAgent } from "../hook-agent.ts";
import type { HookAnswer, HookEvent, HookEventBase, HookEventBody } from "../hook-event.ts";
import { listIn, nameIn, numberIn, textIn } from "@phasekit/core/adapter";
import { known, type Payload, parsedIn } from "../payload.ts";

/**
 * Cursor. It also loads the hooks of Claude Code and then calls our command with its own payloads: the payload
 * shows that it is Cursor, not the settings file. A finish is answered with a follow-up message only.
 */
export const cursor: HookAgent = {
  name: "cursor",
  title: "Cursor",
  hasBatches: false,
  events: {
    sessionStart: ["observe", "nudge"],
    beforeSubmitPrompt: ["observe"],
    preToolUse: ["observe", "refuse"],
    postToolUse: ["observe", "nudge"],
    postToolUseFailure: ["observe"],
    stop: ["observe", "veto"],
    sessionEnd: ["observe"],
  },
  recognizes: (payload) =>
    payload["cursor_version"] !== undefined ||
    (typeof payload["conversation_id"] === "string" && Array.isArray(payload["workspace_roots"])),
  read: (payload) => ({ ...baseOf(payload), ...bodyOf(payload) }),
  write,
};

function baseOf(payload: Payload): HookEventBase {
  const [root] = listIn(payload["workspace_roots"]);
  return {
    agent: "cursor",
    name: textIn(payload["hook_event_name"]),
    session: nameIn(payload["conversation_id"]) ?? textIn(payload["session_id"]),
    ...known({ cwd: nameIn(root) ?? nameIn(payload["cwd"]), transcript: nameIn(payload["transcript_path"]) }),
  };
}

/** Cursor's own names; Claude Code's begin with a capital letter and mean the same. */
function nameOf(payload: Payload): string {
  const name = textIn(payload["hook_event_name"]);
  if (name === "UserPromptSubmit") return "beforeSubmitPrompt";
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}

function bodyOf(payload: Payload): HookEventBody {
  switch (nameOf(payload)) {
    case "sessionStart":
      return { kind: "session.started", source: "startup" };
    case "beforeSubmitPrompt":
      return { kind: "prompt.submitted", text: textIn(payload["prompt"]), byPerson: true };
    case "preToolUse":
      return { kind: "tool.started", ...callOf(payload) };
    case "postToolUse": {
      const output = parsedIn(payload["tool_output"] ?? payload["tool_response"]);
      return {
        kind: "tool.ended",
        ...callOf(payload),
        outcome: "ok",
        output,
        ...exitCodeOf(output),
        ...timeOf(payload),
      };
    }
    case "postToolUseFailure": {
      const denied = payload["failure_type"] === "permission_denied";
      const output = payload["error_message"] ?? payload["error"];
      const outcome = denied ? ("denied" as const) : ("error" as const);
      const interrupted = payload["is_interrupt"] === true;
      return { kind: "tool.ended", ...callOf(payload), outcome, output, interrupted, ...timeOf(payload) };
    }
    case "stop":
      return {
        kind: "finish.asked",
        text: textIn(payload["last_assistant_message"]),
        continued: (numberIn(payload["loop_count"]) ?? 0) > 0 || payload["stop_hook_active"] === true,
        openWork: listIn(payload["background_tasks"]).length,
        aborted: payload["status"] === "aborted" || payload["status"] === "error",
      };
    case "sessionEnd":
      return { kind: "session.ended", ...known({ reason: nameIn(payload["reason"]) }) };
    default:
      return { kind: "ignored" };
  }
}

function callOf(payload: Payload): { readonly call?: string; readonly tool: string; readonly input: unknown } {
  return {
    tool: textIn(payload["tool_name"]),
    input: parsedIn(payload["tool_input"]),
    ...known({ call: nameIn(payload["tool_use_id"]) }),
  };
}

function exitCodeOf(output: unknown): { readonly exitCode?: number; readonly outcome?: "error" } {
  const code = typeof output === "object" && output !== null ? numberIn((output as Payload)["exitCode"]) : undefined;
  return code === undefined ? {} : { exitCode: code, ...(code !== 0 && { outcome: "error" as const }) };
}

function timeOf(payload: Payload): { readonly durationMs?: number } {
  return known({ durationMs: numberIn(payload["duration"]) });
}

function write(event: HookEvent, { nudge, refuse, veto }: HookAnswer): object | undefined {
  if (refuse !== undefined && event.kind === "tool.started")
    return { permission: "deny", user_message: refuse, agent_message: refuse };
  if (veto !== undefined && event.kind === "finish.asked") return { followup_message: veto };
  const canNudge = event.kind === "session.started" || (event.kind === "tool.ended" && event.outcome === "ok");
  return nudge === undefined || !canNudge ? undefined : { additional_context: nudge };
}
