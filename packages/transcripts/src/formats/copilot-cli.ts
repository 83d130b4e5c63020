import { contextCompacted } from "../compacted.ts";
import { known, listIn, type LooseObject, nameIn, numberIn, objectIn, readArguments, textIn, timeIn } from "../loose-json.ts";
import type { RunWriter } from "../run-writer.ts";
import { todosOf } from "../todos.ts";
import type { TranscriptFormat, Translation, Translator } from "../transcript-format.ts";
import { usageOf } from "../usage.ts";

/** Event logs of GitHub Copilot CLI, with its sub-agents as child runs. */
export const copilotCli: TranscriptFormat = {
  name: "copilot-cli",
  title: "GitHub Copilot CLI",
  detect: ({ values }) => {
    const lines = values.map(objectIn);
    const isStart = lines.some(({ type, data }) => type === "session.start" && typeof objectIn(data)["sessionId"] === "string");
    const isEvent = lines.some(({ type, data, id, parentId }) => typeof type === "string" && /^(?:assistant|tool|session|user)\.[a-z_]+$/.test(type) && typeof data === "object" && typeof id === "string" && parentId !== undefined);
    return isStart ? { certainty: 1 } : isEvent ? { certainty: 0.8 } : undefined;
  },
  translate,
};

const SILENT = /^(?:hook\.|permission\.|system\.|assistant\.(?:turn_start|turn_end|reasoning|intent|message_delta|streaming_delta|reasoning_delta)|session\.(?:model_change|info|mode_changed|plan_changed|permissions_changed|title_changed|context_changed|usage_info|idle|resume|handoff|truncation|snapshot_rewind|workspace_file_changed|task_complete|background_tasks_changed|compaction_start|shutdown|warning|import_legacy|tools_updated|custom_agents_updated)|tool\.(?:execution_partial_result|execution_progress|user_requested)|skill\.|pending_messages|user_input\.|elicitation\.|external_tool|subagent\.selected|command\.)/;

function translate({ desk, skip, unknown }: Translation): Translator {
  const run = desk.open({ agent: "GitHub Copilot CLI" });
  const children = new Map<string, RunWriter>();
  let aborted = false;

  /** Events of a sub-agent name the call that started it. */
  function writerFor(data: LooseObject): RunWriter {
    const parent = nameIn(data["parentToolCallId"]);
    return (parent === undefined ? undefined : children.get(parent)) ?? run;
  }

  function message(data: LooseObject, at: number | undefined): void {
    const writer = writerFor(data);
    aborted = false;
    const usage = usageOf({ inputTokens: data["inputTokens"], outputTokens: data["outputTokens"] });
    writer.answer(known({ id: nameIn(data["messageId"]), at, model: nameIn(data["model"]), usage }));
    writer.text(textIn(data["content"]));
    for (const { toolCallId, name, arguments: given } of listIn(data["toolRequests"])) {
      const input = readArguments(given);
      writer.call({ tool: textIn(name), input, ...known({ call: nameIn(toolCallId), at }) });
      const todos = todosOf(textIn(name), input);
      if (todos !== undefined) writer.fact({ ...todos, ...known({ at }) });
    }
  }

  function result(data: LooseObject, at: number | undefined): void {
    const { success, error } = data;
    const { content } = objectIn(data["result"]);
    const { message: why, code } = objectIn(error);
    const outcome = success !== false ? "ok" : code === "denied" || code === "rejected" ? "denied" : "error";
    const exitCode = /<exited with exit code (\d+)>\s*$/.exec(textIn(content))?.[1];
    writerFor(data).result({ output: content ?? why ?? data["result"], outcome, ...known({ call: nameIn(data["toolCallId"]), at, exitCode: exitCode === undefined ? undefined : Number(exitCode) }) });
  }

  function begin(data: LooseObject, at: number | undefined): void {
    const call = nameIn(data["toolCallId"]);
    if (call === undefined) return skip("subagent.started without a call");
    const task = nameIn(data["agentDescription"] ?? data["prompt"]);
    children.set(call, run.child({ id: `${run.id}/${nameIn(data["agentName"]) ?? call}`, call, ...known({ startedAt: at }), ...(task !== undefined && { task: { text: task } }) }));
  }

  function close(data: LooseObject, ending: { readonly reason?: "unknown"; readonly at?: number }): void {
    const call = textIn(data["toolCallId"]);
    children.get(call)?.end(ending);
    children.delete(call);
  }

  return {
    take: ({ value }) => {
      const line = objectIn(value);
      const type = textIn(line["type"]);
      const data = objectIn(line["data"]);
      const at = timeIn(line["timestamp"]);
      switch (type) {
        case "session.start":
          run.rename(nameIn(data["sessionId"]) ?? run.id);
          return run.describe(known({ agent: nameIn(data["copilotVersion"]) === undefined ? undefined : `GitHub Copilot CLI ${textIn(data["copilotVersion"])}`, folder: nameIn(objectIn(data["context"])["cwd"]), startedAt: timeIn(data["startTime"]) ?? at }));
        case "user.message":
          return writerFor(data).user(textIn(data["content"]), known({ at }));
        case "assistant.message":
          return message(data, at);
        case "assistant.usage":
          return writerFor(data).amend(known({ usage: usageOf({ inputTokens: data["inputTokens"], outputTokens: data["outputTokens"], cachedInputTokens: data["cacheReadTokens"], cacheWriteTokens: data["cacheWriteTokens"] }) })) ? undefined : skip("usage without an answer");
        case "tool.execution_start":
          // The answer that asked for it came before; a tool the host starts by itself did not.
          if (writerFor(data).isOpen(textIn(data["toolCallId"]))) return skip(type);
          return writerFor(data).call({ tool: textIn(data["toolName"]), input: data["arguments"], ...known({ call: nameIn(data["toolCallId"]), at }) });
        case "tool.execution_complete":
          return result(data, at);
        case "subagent.started":
          return begin(data, at);
        case "subagent.completed":
          return close(data, known({ at }));
        case "subagent.failed":
          return close(data, { reason: "unknown", ...known({ at }) });
        case "session.error":
          return run.fact({ type: "model.failed", ...known({ at, message: nameIn(data["message"]), code: nameIn(data["errorType"]), status: numberIn(data["statusCode"]) }) });
        case "session.compaction_complete":
          return run.fact({ ...contextCompacted.record(known({ tokensBefore: numberIn(data["preCompactionTokens"]) })), ...known({ at }) });
        case "abort":
          aborted = true;
          return run.fact({ type: "model.failed", code: "aborted", ...known({ at, message: nameIn(data["reason"]) }) });
        default:
          if (SILENT.test(type)) skip(type);
          else unknown(type === "" ? "line without a type" : type);
      }
    },
    end: () => {
      for (const child of children.values()) child.end();
      if (aborted) run.end({ reason: "cancelled", status: "abort" });
    },
  };
}
