import type { Usage } from "@phasekit/core";
import { defined, knownUsage, type LooseObject, nameIn, numberIn, textIn, toObject } from "@phasekit/core/adapter";
import { objectsIn, readArguments, timeIn } from "../../parse/loose-json.ts";
import { withoutNudge } from "../../write/nudges.ts";
import type { ResultNotes, RunWriter } from "../../write/run-writer.ts";
import { todosOf } from "../../write/todos.ts";
import type { TranscriptFormat, TranslationContext, Translator } from "../../transcript-format.ts";

/** Event logs of GitHub Copilot CLI, with its sub-agents as child runs. */
export const copilotCli: TranscriptFormat = {
  name: "copilot-cli",
  title: "GitHub Copilot CLI",
  detect: ({ values }) => {
    const lines = values.map(toObject);
    const isStart = lines.some(
      ({ type, data }) => type === "session.start" && typeof toObject(data)["sessionId"] === "string",
    );
    const isEvent = lines.some(
      ({ type, data, id, parentId }) =>
        typeof type === "string" &&
        /^(?:assistant|tool|session|user)\.[a-z_]+$/.test(type) &&
        typeof data === "object" &&
        typeof id === "string" &&
        parentId !== undefined,
    );
    return isStart ? { certainty: 1 } : isEvent ? { certainty: 0.8 } : undefined;
  },
  translate,
};

interface CallUsage {
  readonly usage?: Usage;
  readonly finishReason?: string;
}

/** Its cost counts premium requests, not money. */
function usageIn(data: LooseObject): CallUsage {
  return defined({
    usage: knownUsage({
      inputTokens: data["inputTokens"],
      outputTokens: data["outputTokens"],
      cachedInputTokens: data["cacheReadTokens"],
      cacheWriteTokens: data["cacheWriteTokens"],
      reasoningTokens: data["reasoningTokens"],
    }),
    finishReason: nameIn(data["finishReason"]),
  });
}

const SILENT_PARTS = [
  String.raw`hook\.`,
  String.raw`permission\.`,
  String.raw`system\.`,
  String.raw`assistant\.(?:turn_start|reasoning|intent|message_delta|streaming_delta|reasoning_delta)`,
  String.raw`session\.(?:model_change|info|mode_changed|plan_changed|permissions_changed)`,
  String.raw`session\.(?:title_changed|context_changed)`,
  String.raw`session\.(?:usage_info|idle|resume|handoff|truncation|snapshot_rewind)`,
  String.raw`session\.(?:workspace_file_changed|task_complete)`,
  String.raw`session\.(?:background_tasks_changed|compaction_start|shutdown|warning|import_legacy|tools_updated)`,
  String.raw`session\.custom_agents_updated`,
  String.raw`tool\.(?:execution_partial_result|execution_progress|user_requested)`,
  String.raw`skill\.`,
  "pending_messages",
  String.raw`user_input\.`,
  String.raw`elicitation\.`,
  "external_tool",
  String.raw`subagent\.selected`,
  String.raw`command\.`,
];
const SILENT = new RegExp(`^(?:${SILENT_PARTS.join("|")})`);

function translate(options: TranslationContext): Translator {
  return new CopilotTranslator(options);
}

class CopilotTranslator implements Translator {
  readonly #skip: (kind: string) => void;
  readonly #unknown: (kind: string) => void;
  readonly #run: RunWriter;
  readonly #children = new Map<string, RunWriter>();
  /** Usage records come before their answers and name the model call. */
  readonly #usages = new Map<string, CallUsage>();
  #aborted = false;

  constructor({ runs, skip, unknown }: TranslationContext) {
    this.#skip = skip;
    this.#unknown = unknown;
    this.#run = runs.open({ agent: "GitHub Copilot CLI" });
  }

  readonly take: Translator["take"] = ({ value }) => {
    const line = toObject(value);
    const type = textIn(line["type"]);
    const data = toObject(line["data"]);
    const at = timeIn(line["timestamp"]);
    switch (type) {
      case "session.start":
        this.#run.rename(nameIn(data["sessionId"]) ?? this.#run.id);
        return this.#run.describe(
          defined({
            agent:
              nameIn(data["copilotVersion"]) === undefined
                ? undefined
                : `GitHub Copilot CLI ${textIn(data["copilotVersion"])}`,
            folder: nameIn(toObject(data["context"])["cwd"]),
            startedAt: timeIn(data["startTime"]) ?? at,
          }),
        );
      case "user.message":
        return this.#writerFor(data).user(textIn(data["content"]), defined({ at }));
      case "assistant.message":
        return this.#message(data, at);
      case "assistant.usage":
        return this.#writerFor(data).amend(usageIn(data)) ? undefined : this.#skip("usage without an answer");
      case "session.usage_record":
        return this.#usage(toObject(data["usage"]));
      case "assistant.turn_end":
        return this.#turnEnd(data, at);
      case "tool.execution_start":
        // The answer that asked for it came before; a tool the host starts by itself did not.
        if (this.#writerFor(data).isOpen(textIn(data["toolCallId"]))) return this.#skip(type);
        return this.#writerFor(data).call({
          tool: textIn(data["toolName"]),
          input: data["arguments"],
          ...defined({ call: nameIn(data["toolCallId"]), at }),
        });
      case "tool.execution_complete":
        return this.#result(data, at);
      case "subagent.started":
        return this.#begin(data, at);
      case "subagent.completed":
        return this.#close(data, defined({ at }));
      case "subagent.failed":
        return this.#close(data, { reason: "unknown", ...defined({ at }) });
      case "session.error":
        return this.#run.record({
          type: "model.failed",
          ...defined({
            at,
            message: nameIn(data["message"]),
            code: nameIn(data["errorType"]),
            status: numberIn(data["statusCode"]),
          }),
        });
      case "session.compaction_complete":
        if (data["success"] === false) return this.#skip("compaction that failed");
        return this.#run.record({
          type: "context.compacted",
          ...defined({
            at,
            tokensBefore: numberIn(data["preCompactionTokens"]),
            tokensAfter: numberIn(data["postCompactionTokens"]),
            summary: nameIn(data["summaryContent"]),
          }),
        });
      case "abort":
        this.#aborted = true;
        return this.#run.record({
          type: "model.failed",
          code: "aborted",
          ...defined({ at, message: nameIn(data["reason"]) }),
        });
      default:
        if (SILENT.test(type)) this.#skip(type);
        else this.#unknown(type === "" ? "line without a type" : type);
    }
  };

  readonly end: Translator["end"] = () => {
    for (const child of this.#children.values()) child.end();
    if (this.#aborted) this.#run.end({ reason: "cancelled", status: "abort" });
  };

  /** Events of a sub-agent name the call that started it. */
  #writerFor(data: LooseObject): RunWriter {
    const parent = nameIn(data["parentToolCallId"]);
    return (parent === undefined ? undefined : this.#children.get(parent)) ?? this.#run;
  }

  #message(data: LooseObject, at: number | undefined): void {
    const writer = this.#writerFor(data);
    this.#aborted = false;
    const record = this.#usages.get(textIn(data["apiCallId"])) ?? {};
    this.#usages.delete(textIn(data["apiCallId"]));
    const usage = record.usage ?? knownUsage({ inputTokens: data["inputTokens"], outputTokens: data["outputTokens"] });
    const { finishReason } = record;
    writer.answer(defined({ id: nameIn(data["messageId"]), at, model: nameIn(data["model"]), usage, finishReason }));
    if (data["reasoningText"] !== undefined || data["reasoningOpaque"] !== undefined)
      writer.reasoning(textIn(data["reasoningText"]));
    writer.text(textIn(data["content"]));
    for (const { toolCallId, name, arguments: given } of objectsIn(data["toolRequests"])) {
      const input = readArguments(given);
      writer.call({ tool: textIn(name), input, ...defined({ call: nameIn(toolCallId), at }) });
      const todos = todosOf(textIn(name), input);
      if (todos !== undefined) writer.record({ ...todos, ...defined({ at }) });
    }
  }

  /** The record of a model call. Calls for titles and summaries are not answers. */
  #usage(record: LooseObject): void {
    if ((nameIn(record["interactionType"]) ?? "conversation-agent") !== "conversation-agent")
      return this.#skip("usage of a side call");
    this.#usages.set(textIn(record["apiCallId"]), usageIn(record));
  }

  /** A model call without a message at the end of its turn was cut off, and Copilot asked again. */
  #turnEnd(data: LooseObject, at: number | undefined): void {
    if (this.#usages.size === 0 || data["parentToolCallId"] !== undefined) return this.#skip("assistant.turn_end");
    for (const lost of this.#usages.values()) this.#run.answer({ ...lost, ...defined({ at }) });
    this.#usages.clear();
  }

  #result(data: LooseObject, at: number | undefined): void {
    const { success, error } = data;
    const { content } = toObject(data["result"]);
    const { message: why, code } = toObject(error);
    const outcome: ResultNotes["outcome"] =
      success !== false ? undefined : code === "denied" || code === "rejected" ? "denied" : "error";
    const printed = /<(?:exited|shellId: \S+ completed) with exit code (\d+)>\s*$/.exec(
      withoutNudge(textIn(content)),
    )?.[1];
    const exitCode =
      numberIn(toObject(data["shellExecution"])["exitCode"]) ?? (printed === undefined ? undefined : Number(printed));
    this.#writerFor(data).result({
      output: content ?? why ?? data["result"],
      ...defined({ call: nameIn(data["toolCallId"]), at, outcome, exitCode }),
    });
  }

  #begin(data: LooseObject, at: number | undefined): void {
    const call = nameIn(data["toolCallId"]);
    if (call === undefined) return this.#skip("subagent.started without a call");
    const task = nameIn(data["agentDescription"] ?? data["prompt"]);
    this.#children.set(
      call,
      this.#run.child({
        id: `${this.#run.id}/${nameIn(data["agentName"]) ?? call}`,
        call,
        ...defined({ startedAt: at }),
        ...(task !== undefined && { task: { text: task } }),
      }),
    );
  }

  #close(data: LooseObject, ending: { readonly reason?: "unknown"; readonly at?: number }): void {
    const call = textIn(data["toolCallId"]);
    this.#children.get(call)?.end(ending);
    this.#children.delete(call);
  }
}
