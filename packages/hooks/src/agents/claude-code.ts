import type { HookAgent } from "../hook-agent.ts";
import type { HookAnswer, HookEvent, HookEventBase, HookEventBody } from "../hook-event.ts";
import type { AnswerLogOptions, ReportedAnswer } from "../reported-answer.ts";
import { isMachinePrompt, knownUsage, listIn, nameIn, numberIn, textIn, toObject } from "@phasekit/core/adapter";
import { known, type Payload } from "../payload.ts";

/** Claude Code, as of 2.1. It has the fullest set of hooks; the other agents are described by their differences. */
export const claudeCode: HookAgent = {
  name: "claude-code",
  title: "Claude Code",
  hasBatches: true,
  events: {
    SessionStart: ["observe", "nudge"],
    UserPromptSubmit: ["observe", "nudge"],
    PreToolUse: ["observe", "refuse"],
    PostToolUse: ["observe"],
    PostToolUseFailure: ["observe"],
    PostToolBatch: ["observe", "nudge", "stop"],
    SubagentStart: ["observe"],
    SubagentStop: ["observe", "veto"],
    PostCompact: ["observe"],
    Stop: ["observe", "veto"],
    StopFailure: ["observe"],
    SessionEnd: ["observe"],
  },
  answerLog: { mark: '"usage"', read: answerIn },
  recognizes: (payload) =>
    typeof payload["session_id"] === "string" &&
    typeof payload["hook_event_name"] === "string" &&
    payload["cursor_version"] === undefined &&
    payload["conversation_id"] === undefined,
  read: (payload) => ({ ...baseOf(payload), ...withExitCode(bodyOf(payload)) }),
  write,
};

const SHELLS: ReadonlySet<string> = new Set(["Bash", "PowerShell"]);

/**
 * Adds the exit code of a command that is not reported as a failure: 0 if it ended. A command whose code 1 is an answer,
 * such as a search without a match, comes with an explanation of that code.
 */
function withExitCode(body: HookEventBody): HookEventBody {
  if (body.kind !== "tool.ended" || body.outcome !== "ok" || !SHELLS.has(body.tool)) return body;
  const { interrupted, backgroundTaskId, returnCodeInterpretation, ...output } = toObject(body.output);
  if (interrupted === true || backgroundTaskId !== undefined || toObject(body.input)["run_in_background"] === true)
    return body;
  // A tool of the same name that says its exit code itself.
  if (output["exitCode"] !== undefined || output["exit_code"] !== undefined) return body;
  return { ...body, exitCode: nameIn(returnCodeInterpretation) === undefined ? 0 : 1 };
}

/** Fields every payload of the Claude Code family has. */
export function baseOf(payload: Payload, agent: HookEventBase["agent"] = "claude-code"): HookEventBase {
  return {
    agent,
    name: textIn(payload["hook_event_name"]),
    session: textIn(payload["session_id"]),
    ...known({
      cwd: nameIn(payload["cwd"]),
      transcript: nameIn(payload["agent_transcript_path"]) ?? nameIn(payload["transcript_path"]),
      subagent: nameIn(payload["agent_id"]),
      planning: payload["permission_mode"] === "plan" ? true : undefined,
    }),
  };
}

const PEOPLE: ReadonlySet<unknown> = new Set([undefined, "user", "sdk"]);

/** The body of a payload of the Claude Code family. */
export function bodyOf(payload: Payload): HookEventBody {
  switch (payload["hook_event_name"]) {
    case "SessionStart":
      return { kind: "session.started", source: sourceOf(payload["source"]) };
    case "UserPromptSubmit": {
      const text = textIn(payload["prompt"]);
      return {
        kind: "prompt.submitted",
        text,
        byPerson: PEOPLE.has(payload["source"]) && !isMachinePrompt(text),
      };
    }
    case "PreToolUse":
      return { kind: "tool.started", ...callOf(payload) };
    case "PostToolUse":
      return {
        kind: "tool.ended",
        ...callOf(payload),
        outcome: "ok",
        output: payload["tool_response"],
        ...known({ durationMs: numberIn(payload["duration_ms"]) }),
      };
    case "PostToolUseFailure": {
      const error = textIn(payload["error"]);
      const exitCode = /^(?:Error: )?Exit code (\d+)\b/.exec(error)?.[1];
      return {
        kind: "tool.ended",
        ...callOf(payload),
        outcome: "error",
        output: error,
        interrupted: payload["is_interrupt"] === true,
        ...known({
          exitCode: exitCode === undefined ? undefined : Number(exitCode),
          durationMs: numberIn(payload["duration_ms"]),
        }),
      };
    }
    case "PostToolBatch":
      return {
        kind: "batch.ended",
        calls: listIn(payload["tool_calls"]).map((call) => {
          const { tool_response: output } = toObject(call);
          return { ...callOf(toObject(call)), output };
        }),
      };
    case "Stop":
      return {
        kind: "finish.asked",
        text: textIn(payload["last_assistant_message"]),
        continued: payload["stop_hook_active"] === true,
        openWork: listIn(payload["background_tasks"]).length + listIn(payload["session_crons"]).length,
        aborted: false,
      };
    case "StopFailure":
      return { kind: "turn.failed", message: textIn(payload["error"]) };
    case "SubagentStart":
      return { kind: "subagent.started", id: textIn(payload["agent_id"]) };
    case "SubagentStop":
      return {
        kind: "subagent.ended",
        id: textIn(payload["agent_id"]),
        text: textIn(payload["last_assistant_message"]),
        continued: payload["stop_hook_active"] === true,
      };
    case "PostCompact":
      return { kind: "context.compacted", ...known({ trigger: nameIn(payload["trigger"]) }) };
    case "SessionEnd":
      return { kind: "session.ended", ...known({ reason: nameIn(payload["reason"]) }) };
    default:
      return { kind: "ignored" };
  }
}

/** The call a payload is about. */
function callOf(payload: Payload): { readonly call?: string; readonly tool: string; readonly input: unknown } {
  return {
    tool: textIn(payload["tool_name"]),
    input: payload["tool_input"],
    ...known({ call: nameIn(payload["tool_use_id"]) }),
  };
}

/** A line per part of an answer, with the same id; answers of sub-agents are in logs of their own. */
function answerIn(line: Payload, { isSubagent }: AnswerLogOptions): ReportedAnswer | undefined {
  const message = toObject(line["message"]);
  if (line["type"] !== "assistant" || (line["isSidechain"] === true && !isSubagent)) return undefined;
  if (message["model"] === "<synthetic>" || line["isApiErrorMessage"] === true) return undefined;
  const usage = knownUsage(message["usage"], "anthropic");
  if (usage === undefined) return undefined;
  return { usage, ...known({ id: nameIn(message["id"]), model: nameIn(message["model"]) }) };
}

/** Why a session started. */
export function sourceOf(source: unknown): "startup" | "resume" | "compact" | "other" {
  return source === "startup" || source === "resume" || source === "compact" ? source : "other";
}

function write(event: HookEvent, { nudge, refuse, veto, stop }: HookAnswer): object | undefined {
  const specific = (members: object): object => ({ hookSpecificOutput: { hookEventName: event.name, ...members } });
  if (refuse !== undefined && event.kind === "tool.started")
    return specific({ permissionDecision: "deny", permissionDecisionReason: refuse });
  if (veto !== undefined && event.kind === "subagent.ended") return { decision: "block", reason: veto };
  // `decision: "block"` would repeat the reason and show the model our command line; this arrives once and clean.
  if (veto !== undefined && event.kind === "finish.asked") return specific({ additionalContext: veto });
  if (stop !== undefined && event.kind === "batch.ended") return { continue: false, stopReason: stop };
  const canNudge =
    event.kind === "session.started" || event.kind === "prompt.submitted" || event.kind === "batch.ended";
  return nudge === undefined || !canNudge ? undefined : specific({ additionalContext: nudge });
}
