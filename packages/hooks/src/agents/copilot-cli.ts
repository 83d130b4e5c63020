import type { HookAgent } from "../hook-agent.ts";
import type { HookAnswer, HookEvent, HookEventBase, HookEventBody } from "../hook-event.ts";
import { type ReportedAnswer, usageFrom } from "../reported-answer.ts";
import { nameIn, textIn, toObject } from "@phasekit/core/adapter";
import { known, type Payload, parsedIn } from "../payload.ts";

/**
 * Copilot CLI, as of 1.0. The payload has neither the event's name (it is in our command line) nor an id of the call,
 * and a failed command arrives as a success with the exit code in its text. A sub-agent is a session of its own that
 * names its parent.
 */
export const copilotCli: HookAgent = {
  name: "copilot-cli",
  title: "Copilot CLI",
  hasBatches: false,
  events: {
    sessionStart: ["observe", "nudge"],
    userPromptSubmitted: ["observe", "nudge"],
    preToolUse: ["observe", "refuse"],
    postToolUse: ["observe", "nudge"],
    postToolUseFailure: ["observe"],
    agentStop: ["observe", "veto"],
    subagentStop: ["observe", "veto"],
    preCompact: ["observe"],
    sessionEnd: ["observe"],
  },
  answerLog: { mark: "session.usage_record", isLate: true, hasSubagents: true, read: answerIn },
  lastWordsIn,
  recognizes: (payload) => typeof payload["sessionId"] === "string" && typeof payload["timestamp"] === "number",
  read: (payload, name = "") => ({ ...baseOf(payload, name), ...bodyOf(payload, name) }),
  write,
};

function baseOf(payload: Payload, name: string): HookEventBase {
  return {
    agent: "copilot-cli",
    name,
    session: nameIn(payload["parentAgentId"]) ?? textIn(payload["sessionId"]),
    ...known({
      cwd: nameIn(payload["cwd"]),
      transcript: nameIn(payload["transcriptPath"]),
      subagent: nameIn(payload["agentId"]),
      // Copilot logs what it gives to a hook.
      logMark: typeof payload["timestamp"] === "number" ? `"timestamp":${String(payload["timestamp"])}` : undefined,
    }),
  };
}

function bodyOf(payload: Payload, name: string): HookEventBody {
  const subagent = nameIn(payload["agentId"]);
  switch (name) {
    case "sessionStart":
      return { kind: "session.started", source: payload["source"] === "resume" ? "resume" : "startup" };
    case "userPromptSubmitted":
      return subagent === undefined
        ? { kind: "prompt.submitted", text: textIn(payload["prompt"]), byPerson: true }
        : { kind: "subagent.started", id: subagent, task: textIn(payload["prompt"]) };
    case "preToolUse":
      return { kind: "tool.started", ...callOf(payload) };
    case "postToolUse":
    case "postToolUseFailure":
      return endOf(payload, name);
    case "subagentStop":
      return {
        kind: "subagent.ended",
        id: subagent ?? "",
        text: textIn(payload["response"]),
        continued: payload["stop_hook_active"] === true,
      };
    case "agentStop":
      // The other event of the same end has its last words.
      if (subagent !== undefined) return { kind: "ignored" };
      return {
        kind: "finish.asked",
        text: textIn(payload["lastAssistantMessage"]),
        continued: payload["stop_hook_active"] === true || payload["stopHookActive"] === true,
        openWork: 0,
        aborted: payload["stopReason"] === "error" || payload["stopReason"] === "aborted",
      };
    case "preCompact":
      return { kind: "context.compacted", ...known({ trigger: nameIn(payload["trigger"]) }) };
    case "sessionEnd":
      return { kind: "session.ended", ...known({ reason: nameIn(payload["reason"]) }) };
    default:
      return { kind: "ignored" };
  }
}

/** Messages of sub-agents name them. */
function lastWordsIn(log: string): string | undefined {
  const lines = log.split("\n").filter((line) => line.includes('"assistant.message"'));
  const messages = lines.map((line) => toObject(parsedIn(line))).filter((line) => line["agentId"] === undefined);
  return nameIn(toObject(messages.at(-1)?.["data"])["content"]);
}

/** The arguments are an object in some versions and JSON text in others. */
function callOf(payload: Payload): { readonly tool: string; readonly input: unknown } {
  return { tool: textIn(payload["toolName"]), input: parsedIn(payload["toolArgs"]) };
}

function endOf(payload: Payload, name: string): HookEventBody {
  const { resultType, textResultForLlm } = toObject(payload["toolResult"]);
  const text = textIn(textResultForLlm ?? payload["error"]);
  const code = /(?:exited|completed) with exit code (\d+)/.exec(text)?.[1];
  const exitCode = code === undefined ? undefined : Number(code);
  const denied = resultType === "denied" || resultType === "rejected";
  const failed = name === "postToolUseFailure" || resultType === "failure" || (exitCode ?? 0) !== 0;
  return {
    kind: "tool.ended",
    ...callOf(payload),
    outcome: denied ? "denied" : failed ? "error" : "ok",
    output: text,
    ...known({ exitCode }),
  };
}

const ANSWERS: ReadonlySet<string | undefined> = new Set([undefined, "conversation-agent", "conversation-subagent"]);

/** Calls for titles and summaries are not answers. The cost counts premium requests, not money. */
function answerIn(line: Payload): ReportedAnswer | undefined {
  const record = toObject(toObject(line["data"])["usage"]);
  const usage = usageFrom({
    input: record["inputTokens"],
    output: record["outputTokens"],
    cacheRead: record["cacheReadTokens"],
    cacheWrite: record["cacheWriteTokens"],
    reasoning: record["reasoningTokens"],
  });
  const isAnswer = ANSWERS.has(nameIn(record["interactionType"]));
  if (line["type"] !== "session.usage_record" || !isAnswer || usage === undefined) return undefined;
  return {
    usage,
    ...known({ id: nameIn(record["apiCallId"]), model: nameIn(record["model"]), subagent: nameIn(line["agentId"]) }),
  };
}

function write(event: HookEvent, { nudge, refuse, veto }: HookAnswer): object | undefined {
  if (refuse !== undefined && event.kind === "tool.started")
    return { permissionDecision: "deny", permissionDecisionReason: refuse };
  if (veto !== undefined && (event.kind === "finish.asked" || event.kind === "subagent.ended"))
    return { decision: "block", reason: veto };
  const canNudge =
    event.kind === "session.started" || event.kind === "prompt.submitted" || event.name === "postToolUse";
  return nudge === undefined || !canNudge ? undefined : { additionalContext: nudge };
}
