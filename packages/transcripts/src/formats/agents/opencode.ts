import type { ResultNotes } from "../../write/run-writer.ts";
import { defined, type LooseObject, nameIn, numberIn, textIn, toObject } from "@phasekit/core/adapter";
import { objectsIn, timeIn } from "../../parse/loose-json.ts";
import { todosOf } from "../../write/todos.ts";
import type { TranscriptFormat, TranslationContext, Translator } from "../../transcript-format.ts";
import { usageOf } from "../../write/usage.ts";

/** Exported sessions of opencode, and the events its command line prints as JSON. */
export const opencode: TranscriptFormat = {
  name: "opencode",
  title: "opencode",
  detect: ({ layout, values }) => {
    const [first] = values;
    const { info, messages, sessionID, part } = toObject(first);
    if (layout !== "lines" && toObject(info)["id"] !== undefined && Array.isArray(messages)) {
      const [message = {}] = objectsIn(messages);
      return message["info"] === undefined || Array.isArray(message["parts"])
        ? { certainty: 0.9, split: ["messages.*"], first: ["info"] }
        : undefined;
    }
    return typeof sessionID === "string" && typeof part === "object" ? { certainty: 0.9 } : undefined;
  },
  translate,
};

function translate({ runs, skip, unknown }: TranslationContext): Translator {
  const run = runs.open({ agent: "opencode" });
  let answers = 0;
  let aborted = false;

  function session({ id, directory, version, parentID: parent, time }: LooseObject): void {
    run.rename(nameIn(id) ?? run.id);
    run.describe({
      ...defined({
        folder: nameIn(directory),
        startedAt: timeIn(toObject(time)["created"]),
        agent: typeof version === "string" ? `opencode ${version}` : undefined,
      }),
      ...(typeof parent === "string" && { parent: { run: parent } }),
    });
  }

  function message(info: LooseObject, parts: readonly LooseObject[]): void {
    const at = timeIn(toObject(info["time"])["created"]);
    if (info["role"] === "user") {
      const compaction = parts.find(({ type }) => type === "compaction");
      if (compaction !== undefined) return compacted(compaction, at);
      const text = parts
        .filter(({ type, synthetic, ignored }) => type === "text" && synthetic !== true && ignored !== true)
        .map((part) => textIn(part["text"]))
        .join("\n");
      return text === "" ? skip("user message without text") : run.user(text, defined({ at }));
    }
    if (info["role"] !== "assistant") return unknown(`role ${textIn(info["role"])}`);
    // The summary is for the model, not for the user.
    if (info["summary"] === true) return summary(info, at);
    answers += 1;
    const error = toObject(info["error"]);
    aborted = error["name"] === "MessageAbortedError";
    run.answer({
      id: String(answers),
      ...defined({
        at: timeIn(toObject(info["time"])["completed"]) ?? at,
        model: nameIn(info["modelID"]),
        agent: undefined,
        finishReason: nameIn(info["finish"]),
        usage: tokens(toObject(info["tokens"]), info["cost"]),
      }),
    });
    for (const part of parts) readPart(part);
    if (typeof error["name"] === "string")
      run.record({
        type: "model.failed",
        ...defined({
          at,
          code: aborted ? "aborted" : error["name"],
          message: nameIn(toObject(error["data"])["message"]),
          status: numberIn(toObject(error["data"])["statusCode"]),
        }),
      });
  }

  function compacted({ auto }: LooseObject, at: number | undefined): void {
    const trigger = typeof auto === "boolean" ? (auto ? "auto" : "manual") : undefined;
    run.record({ type: "context.compacted", ...defined({ at, trigger }) });
  }

  function summary(info: LooseObject, at: number | undefined): void {
    const usage = tokens(toObject(info["tokens"]), info["cost"]);
    if (usage === undefined) return skip("summary after compaction");
    run.record({ type: "model.answered", usage, toolCalls: 0, ...defined({ at, model: nameIn(info["modelID"]) }) });
  }

  function readPart(part: LooseObject): void {
    const type = textIn(part["type"]);
    if (type === "text") {
      if (part["ignored"] !== true) run.text(textIn(part["text"]));
    } else if (type === "reasoning") run.reasoning(textIn(part["text"]));
    else if (type === "tool") tool(part);
    else if (!SILENT.has(type)) unknown(`part ${type}`);
  }

  function tool(part: LooseObject): void {
    const { status, input, output, error, metadata, time } = toObject(part["state"]);
    const name = textIn(part["tool"]);
    const at = timeIn(toObject(time)["start"]);
    const end = timeIn(toObject(time)["end"]);
    const call = nameIn(part["callID"]);
    run.call({ tool: name, input, ...defined({ call, at }) });
    const todos = todosOf(name, input);
    if (todos !== undefined) run.record({ ...todos, ...defined({ at }) });
    if (status !== "completed" && status !== "error") return;
    const isDenied = status === "error" && /rejected permission|user rejected/i.test(textIn(error));
    const exitCode = numberIn(toObject(metadata)["exit"]);
    const outcome: ResultNotes["outcome"] = isDenied ? "denied" : status === "error" ? "error" : undefined;
    run.result({
      output: output ?? error ?? "",
      ...defined({
        outcome,
        call,
        at: end,
        exitCode,
        durationMs: at === undefined || end === undefined ? undefined : Math.max(0, end - at),
      }),
    });
  }

  /** A line of `opencode run --format json`. */
  function line(event: LooseObject): void {
    const part = toObject(event["part"]);
    const at = timeIn(event["timestamp"]);
    const { type } = event;
    if (typeof event["sessionID"] === "string") run.rename(event["sessionID"]);
    if (type === "step_start") {
      answers += 1;
      run.answer({ id: String(answers), ...defined({ at }) });
    } else if (type === "step_finish")
      run.amend({
        id: String(answers),
        ...defined({ finishReason: nameIn(part["reason"]), usage: tokens(toObject(part["tokens"]), part["cost"]) }),
      });
    else if (type === "text" || type === "tool_use" || type === "tool" || type === "reasoning") readPart(part);
    else if (type === "error")
      run.record({
        type: "model.failed",
        ...defined({
          at,
          message: nameIn(toObject(toObject(event["error"])["data"])["message"]),
          code: nameIn(toObject(event["error"])["name"]),
        }),
      });
    else unknown(`event ${textIn(type)}`);
  }

  return {
    take: ({ path, value }) => {
      const object = toObject(value);
      if (path[0] === "info") session(object);
      else if (path[0] === "messages") message(toObject(object["info"]), objectsIn(object["parts"]));
      else if (typeof path[0] === "string") skip(path[0]);
      else line(object);
    },
    end: () => {
      if (aborted) run.end({ reason: "cancelled", status: "MessageAbortedError" });
    },
  };
}

const SILENT: ReadonlySet<string> = new Set([
  "step-start",
  "step-finish",
  "snapshot",
  "patch",
  "file",
  "agent",
  "subtask",
  "retry",
]);

/** Its input leaves the cache out, and its output the reasoning; ours do not. */
function tokens({ input, output, reasoning, cache }: LooseObject, cost: unknown): ReturnType<typeof usageOf> {
  const { read, write } = toObject(cache);
  const inputTokens =
    numberIn(input) === undefined ? undefined : Number(input) + (numberIn(read) ?? 0) + (numberIn(write) ?? 0);
  return usageOf({
    inputTokens,
    outputTokens: numberIn(output) === undefined ? undefined : Number(output) + (numberIn(reasoning) ?? 0),
    reasoningTokens: reasoning,
    cachedInputTokens: read,
    cacheWriteTokens: write,
    cost,
  });
}
