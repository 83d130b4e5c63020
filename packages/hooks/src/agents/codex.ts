import type { HookAgent } from "../hook-agent.ts";
import type { HookAnswer, HookEvent } from "../hook-event.ts";
import { type ReportedAnswer, usageFrom } from "../reported-answer.ts";
import { numberIn, textIn, toObject } from "@phasekit/core/adapter";
import type { Payload } from "../payload.ts";
import { baseOf, bodyOf } from "./claude-code.ts";

/**
 * Codex, as of 0.166: Claude Code's shapes with differences. There is no batch event and no failure event, a finish is
 * vetoed with `decision: "block"` and without a limit of its own, and one unknown field invalidates an answer.
 */
export const codex: HookAgent = {
  name: "codex",
  title: "Codex",
  hasBatches: false,
  events: {
    SessionStart: ["observe", "nudge"],
    UserPromptSubmit: ["observe", "nudge"],
    PreToolUse: ["observe", "refuse"],
    PostToolUse: ["observe", "nudge"],
    SubagentStart: ["observe"],
    SubagentStop: ["observe", "veto"],
    PostCompact: ["observe"],
    Stop: ["observe", "veto"],
    SessionEnd: ["observe"],
  },
  answerLog: { mark: '"token_count"', read: answerIn },
  recognizes: (payload) =>
    typeof payload["hook_event_name"] === "string" &&
    (typeof payload["turn_id"] === "string" || /[/\\]rollout-[^/\\]*$/.test(textIn(payload["transcript_path"]))),
  exitCodeIn: codexExitCode,
  read: (payload) => ({ ...baseOf(payload, "codex"), ...bodyOf(payload) }),
  write,
};

/** The totals grow with every answer; the same ones again only tell the rate limits. */
function answerIn(line: Payload): ReportedAnswer | undefined {
  const { type, info } = toObject(line["payload"]);
  const { last_token_usage: last, total_token_usage: total } = toObject(info);
  const counts = toObject(last);
  const usage = usageFrom({
    input: counts["input_tokens"],
    output: counts["output_tokens"],
    cacheRead: counts["cached_input_tokens"],
    reasoning: counts["reasoning_output_tokens"],
  });
  const sum = numberIn(toObject(total)["total_tokens"]);
  return type !== "token_count" || usage === undefined || sum === undefined ? undefined : { id: String(sum), usage };
}

function write(event: HookEvent, { nudge, refuse, veto }: HookAnswer): object | undefined {
  const specific = (members: object): object => ({ hookSpecificOutput: { hookEventName: event.name, ...members } });
  if (refuse !== undefined && event.kind === "tool.started")
    return specific({ permissionDecision: "deny", permissionDecisionReason: refuse });
  if (veto !== undefined && (event.kind === "finish.asked" || event.kind === "subagent.ended"))
    return { decision: "block", reason: veto };
  const canNudge = event.kind === "session.started" || event.kind === "prompt.submitted" || event.kind === "tool.ended";
  return nudge === undefined || !canNudge ? undefined : specific({ additionalContext: nudge });
}

/**
 * The exit code of a call, from the end of Codex's log. A rollout holds one line per finished command with the id of
 * its call; the hook's payload only has what the command printed.
 */
function codexExitCode(log: string, call: string): number | undefined {
  if (call === "") return undefined;
  const at = log.lastIndexOf(JSON.stringify(call));
  if (at < 0) return undefined;
  const lines = log.split("\n").filter((line) => line.includes(call) && line.includes('"exit_code"'));
  const code = /"exit_code":\s*(-?\d+)/.exec(lines.at(-1) ?? "")?.[1];
  return code === undefined ? undefined : Number(code);
}
