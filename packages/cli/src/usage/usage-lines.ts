import { toObject } from "@phasekit/core/adapter";
import { anthropicUsage, codexUsage } from "@phasekit/transcripts/usage";
import type { UsageEntry } from "./usage-entry.ts";

/** Reads the lines of one log that have usage, in order. */
export interface UsageReader {
  /** Every line with one of these texts is parsed, and no other. */
  readonly marks: readonly string[];
  readonly take: (line: Readonly<Record<string, unknown>>) => void;
}

/** Answers by id: logs of resumed sessions repeat them, and a streamed answer is there several times. */
export type AnswersById = Map<string, UsageEntry>;

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const timeOf = (value: unknown): number => (typeof value === "string" ? Date.parse(value) : Number.NaN);

/** Reads a log of Claude Code: the answers of the session and of its sub-agents. */
export function claudeUsage(
  answers: AnswersById,
  { tool, session }: Pick<UsageEntry, "tool" | "session">,
): UsageReader {
  // The first one: an agent that changes its directory still works on the same project.
  let folder = "";
  return {
    marks: ['"usage":{', '"usage": {'],
    take: (line) => {
      const isInner = line["type"] === "progress";
      const inner = isInner ? toObject(toObject(line["data"])["message"]) : line;
      if (inner["type"] !== "assistant") return;
      folder ||= text(line["cwd"]);
      const message = toObject(inner["message"]);
      const usage = anthropicUsage(message["usage"], inner["costUSD"]);
      const model = text(message["model"]);
      const at = timeOf(inner["timestamp"] ?? line["timestamp"]);
      if (usage === undefined || model === "<synthetic>" || Number.isNaN(at)) return;
      const key = text(message["id"]) === "" ? `${session} ${text(inner["uuid"])}` : text(message["id"]);
      const before = answers.get(key);
      if (before !== undefined && (before.usage.outputTokens ?? 0) >= (usage.outputTokens ?? 0)) return;
      answers.set(
        key,
        before === undefined
          ? { tool, session, model, at, usage, ...(folder !== "" && { folder }) }
          : { ...before, usage },
      );
    },
  };
}

/** Reads a rollout of Codex. Its totals grow; the same ones again only tell the rate limits. */
export function codexUsageLines(
  answers: AnswersById,
  { tool, session }: Pick<UsageEntry, "tool" | "session">,
): UsageReader {
  let model = "";
  let folder = "";
  let lastTotal: unknown;
  return {
    marks: ['"token_count"', '"turn_context"', '"session_meta"'],
    take: (line) => {
      const payload = toObject(line["payload"]);
      if (line["type"] === "session_meta") folder = text(payload["cwd"]);
      else if (line["type"] === "turn_context") model = text(payload["model"]) || model;
      else if (line["type"] === "event_msg" && payload["type"] === "token_count") {
        const info = toObject(payload["info"]);
        const total = toObject(info["total_token_usage"])["total_tokens"];
        const usage = codexUsage(info["last_token_usage"]);
        if (typeof total !== "number" || total === lastTotal || usage === undefined) return;
        lastTotal = total;
        const at = timeOf(line["timestamp"]);
        // Codex gives its answers no id. A fork of a session repeats the lines of the one it came from.
        const key = `codex ${String(at)} ${String(total)} ${String(usage.inputTokens)} ${String(usage.outputTokens)}`;
        if (!answers.has(key)) answers.set(key, { tool, session, model, at, usage, ...(folder !== "" && { folder }) });
      }
    },
  };
}
