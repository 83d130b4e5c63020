import type { HookAgent } from "../hook-agent.ts";
import type { HookAnswer, HookEvent, HookEventBase, HookEventBody } from "../hook-event.ts";
import { type ReportedAnswer, usageFrom } from "../reported-answer.ts";
import { listIn, nameIn, textIn, toObject } from "@phasekit/core/adapter";
import { known, type Payload } from "../payload.ts";
import { sourceOf } from "./claude-code.ts";

/**
 * Gemini CLI, as of 0.61. Calls have no id, a failed command is seen in its text only, and vetoes have no limit. Events
 * of a sub-agent look like those of its parent.
 */
export const geminiCli: HookAgent = {
  name: "gemini-cli",
  title: "Gemini CLI",
  hasBatches: false,
  events: {
    SessionStart: ["observe", "nudge"],
    BeforeAgent: ["observe", "nudge"],
    BeforeTool: ["observe", "refuse"],
    AfterTool: ["observe", "nudge", "stop"],
    AfterAgent: ["observe", "veto"],
    PreCompress: ["observe"],
    SessionEnd: ["observe"],
  },
  answerLog: { mark: '"tokens"', read: answerIn },
  delegate: {
    tool: "invoke_agent",
    taskIn: (input) => textIn(toObject(input)["prompt"]),
    lastWordsIn: (output) =>
      listIn(output)
        .map((part) => textIn(toObject(part)["text"]))
        .join("\n"),
    logs: {
      folder: (transcript, session) => transcript.replace(/[^/\\]*$/, session),
      isAbout: (log, task) => log.includes(JSON.stringify(task)),
    },
  },
  // Its detector refuses the fifth.
  ownLoopLimit: 4,
  recognizes: (payload) =>
    typeof payload["hook_event_name"] === "string" &&
    /^(?:Before|After)(?:Agent|Tool|Model)/.test(payload["hook_event_name"]),
  read: (payload) => ({ ...baseOf(payload), ...bodyOf(payload) }),
  write,
};

function baseOf(payload: Payload): HookEventBase {
  return {
    agent: "gemini-cli",
    name: textIn(payload["hook_event_name"]),
    session: textIn(payload["session_id"]),
    ...known({ cwd: nameIn(payload["cwd"]), transcript: nameIn(payload["transcript_path"]) }),
  };
}

function bodyOf(payload: Payload): HookEventBody {
  switch (payload["hook_event_name"]) {
    case "SessionStart":
      return { kind: "session.started", source: sourceOf(payload["source"]) };
    case "BeforeAgent":
      return { kind: "prompt.submitted", text: textIn(payload["prompt"]), byPerson: true };
    case "BeforeTool":
      return { kind: "tool.started", tool: textIn(payload["tool_name"]), input: payload["tool_input"] };
    case "AfterTool":
      return endOf(payload);
    case "AfterAgent":
      return {
        kind: "finish.asked",
        text: textIn(payload["prompt_response"]),
        continued: payload["stop_hook_active"] === true,
        openWork: 0,
        aborted: false,
      };
    case "SessionEnd":
      return { kind: "session.ended", ...known({ reason: nameIn(payload["reason"]) }) };
    case "PreCompress":
      // It fires before every model call; only the user's own command shows that anything is shortened.
      return payload["trigger"] === "manual" ? { kind: "context.compacted", trigger: "manual" } : { kind: "ignored" };
    default:
      return { kind: "ignored" };
  }
}

function endOf(payload: Payload): HookEventBody {
  const { llmContent, returnDisplay, error } = toObject(payload["tool_response"]);
  const text = textIn(llmContent);
  const code = /(?:^|\n)Exit Code: (\d+)/.exec(text)?.[1];
  const exitCode = code === undefined ? (endedWell(payload, text) ? 0 : undefined) : Number(code);
  const failed = error !== undefined && error !== null;
  return {
    kind: "tool.ended",
    tool: textIn(payload["tool_name"]),
    input: payload["tool_input"],
    outcome: failed || (exitCode !== undefined && exitCode !== 0) ? "error" : "ok",
    output: failed ? error : typeof llmContent === "string" ? plainOutput(text) : (llmContent ?? returnDisplay),
    ...known({ exitCode }),
  };
}

/**
 * True for a command that ended with 0: Gemini CLI names a code, a signal or an error only if there is one. One in the
 * background has not ended.
 */
function endedWell(payload: Payload, text: string): boolean {
  return (
    payload["tool_name"] === "run_shell_command" &&
    toObject(payload["tool_input"])["is_background"] !== true &&
    /^(?:<untrusted_context>\n)?Output: /.test(text) &&
    /\nProcess Group PGID: \d+/.test(text) &&
    !/\n(?:Error|Signal|Background PIDs): /.test(text)
  );
}

/** A message is written again when it grows. */
function answerIn(line: Payload): ReportedAnswer | undefined {
  const { input, output, cached, thoughts } = toObject(line["tokens"]);
  const written = typeof output === "number" && typeof thoughts === "number" ? output + thoughts : output;
  const usage = usageFrom({ input, output: written, cacheRead: cached, reasoning: thoughts });
  if (line["type"] !== "gemini" || usage === undefined) return undefined;
  return { usage, ...known({ id: nameIn(line["id"]), model: nameIn(line["model"]) }) };
}

/** The output of a command, without the wrapper around it and the process number, which differs each time. */
function plainOutput(text: string): string {
  return text
    .replace(/^<untrusted_context>\n|\n?<\/untrusted_context>\s*$/g, "")
    .replace(/^Output: (?:\(empty\)\n?)?/, "")
    .replace(/(?:^|\n)(?:Process Group PGID|Exit Code): \d+(?=\n|$)/g, "");
}

function write(event: HookEvent, { nudge, refuse, veto, stop }: HookAnswer): object | undefined {
  if (refuse !== undefined && event.kind === "tool.started") return { decision: "deny", reason: refuse };
  if (veto !== undefined && event.kind === "finish.asked") return { decision: "deny", reason: veto };
  if (stop !== undefined && event.kind === "tool.ended") return { continue: false, stopReason: stop };
  const canNudge = event.kind === "session.started" || event.kind === "prompt.submitted" || event.kind === "tool.ended";
  return nudge === undefined || !canNudge
    ? undefined
    : { hookSpecificOutput: { hookEventName: event.name, additionalContext: nudge } };
}
