import type { Usage } from "@phasekit/core";
import type { ResultNotes, RunWriter } from "../../write/run-writer.ts";
import { defined, knownUsage, type LooseObject, nameIn, numberIn, textIn, toObject } from "@phasekit/core/adapter";
import { objectsIn, timeIn } from "../../parse/loose-json.ts";
import { todosOf } from "../../write/todos.ts";
import type { TranscriptFormat, TranslationContext, Translator } from "../../transcript-format.ts";

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

function translate(options: TranslationContext): Translator {
  return new OpencodeTranslator(options);
}

class OpencodeTranslator implements Translator {
  readonly #skip: (kind: string) => void;
  readonly #unknown: (kind: string) => void;
  readonly #run: RunWriter;
  #answers = 0;
  #aborted = false;

  constructor({ runs, skip, unknown }: TranslationContext) {
    this.#skip = skip;
    this.#unknown = unknown;
    this.#run = runs.open({ agent: "opencode" });
  }

  readonly take: Translator["take"] = ({ path, value }) => {
    const object = toObject(value);
    if (path[0] === "info") this.#session(object);
    else if (path[0] === "messages") this.#message(toObject(object["info"]), objectsIn(object["parts"]));
    else if (typeof path[0] === "string") this.#skip(path[0]);
    else this.#line(object);
  };

  readonly end: Translator["end"] = () => {
    if (this.#aborted) this.#run.end({ reason: "cancelled", status: "MessageAbortedError" });
  };

  #session({ id, directory, version, parentID: parent, time }: LooseObject): void {
    this.#run.rename(nameIn(id) ?? this.#run.id);
    this.#run.describe({
      ...defined({
        folder: nameIn(directory),
        startedAt: timeIn(toObject(time)["created"]),
        agent: typeof version === "string" ? `opencode ${version}` : undefined,
      }),
      ...(typeof parent === "string" && { parent: { run: parent } }),
    });
  }

  #message(info: LooseObject, parts: readonly LooseObject[]): void {
    const at = timeIn(toObject(info["time"])["created"]);
    if (info["role"] === "user") {
      const compaction = parts.find(({ type }) => type === "compaction");
      if (compaction !== undefined) return this.#compacted(compaction, at);
      const text = parts
        .filter(({ type, synthetic, ignored }) => type === "text" && synthetic !== true && ignored !== true)
        .map((part) => textIn(part["text"]))
        .join("\n");
      return text === "" ? this.#skip("user message without text") : this.#run.user(text, defined({ at }));
    }
    if (info["role"] !== "assistant") return this.#unknown(`role ${textIn(info["role"])}`);
    // The summary is for the model, not for the user.
    if (info["summary"] === true) return this.#summary(info, at);
    this.#answers += 1;
    const error = toObject(info["error"]);
    this.#aborted = error["name"] === "MessageAbortedError";
    this.#run.answer({
      id: String(this.#answers),
      ...defined({
        at: timeIn(toObject(info["time"])["completed"]) ?? at,
        model: nameIn(info["modelID"]),
        agent: undefined,
        finishReason: nameIn(info["finish"]),
        usage: tokens(toObject(info["tokens"]), info["cost"]),
      }),
    });
    for (const part of parts) this.#readPart(part);
    if (typeof error["name"] === "string")
      this.#run.record({
        type: "model.failed",
        ...defined({
          at,
          code: this.#aborted ? "aborted" : error["name"],
          message: nameIn(toObject(error["data"])["message"]),
          status: numberIn(toObject(error["data"])["statusCode"]),
        }),
      });
  }

  #compacted({ auto }: LooseObject, at: number | undefined): void {
    const trigger = typeof auto === "boolean" ? (auto ? "auto" : "manual") : undefined;
    this.#run.record({ type: "context.compacted", ...defined({ at, trigger }) });
  }

  #summary(info: LooseObject, at: number | undefined): void {
    const usage = tokens(toObject(info["tokens"]), info["cost"]);
    if (usage === undefined) return this.#skip("summary after compaction");
    this.#run.record({
      type: "model.answered",
      usage,
      toolCalls: 0,
      ...defined({ at, model: nameIn(info["modelID"]) }),
    });
  }

  #readPart(part: LooseObject): void {
    const type = textIn(part["type"]);
    if (type === "text") {
      if (part["ignored"] !== true) this.#run.text(textIn(part["text"]));
    } else if (type === "reasoning") this.#run.reasoning(textIn(part["text"]));
    else if (type === "tool") this.#tool(part);
    else if (!SILENT.has(type)) this.#unknown(`part ${type}`);
  }

  #tool(part: LooseObject): void {
    const { status, input, output, error, metadata, time } = toObject(part["state"]);
    const name = textIn(part["tool"]);
    const at = timeIn(toObject(time)["start"]);
    const end = timeIn(toObject(time)["end"]);
    const call = nameIn(part["callID"]);
    this.#run.call({ tool: name, input, ...defined({ call, at }) });
    const todos = todosOf(name, input);
    if (todos !== undefined) this.#run.record({ ...todos, ...defined({ at }) });
    if (status !== "completed" && status !== "error") return;
    const isDenied = status === "error" && /rejected permission|user rejected/i.test(textIn(error));
    const exitCode = numberIn(toObject(metadata)["exit"]);
    const outcome: ResultNotes["outcome"] = isDenied ? "denied" : status === "error" ? "error" : undefined;
    this.#run.result({
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
  #line(event: LooseObject): void {
    const part = toObject(event["part"]);
    const at = timeIn(event["timestamp"]);
    const { type } = event;
    if (typeof event["sessionID"] === "string") this.#run.rename(event["sessionID"]);
    if (type === "step_start") {
      this.#answers += 1;
      this.#run.answer({ id: String(this.#answers), ...defined({ at }) });
    } else if (type === "step_finish")
      this.#run.amend({
        id: String(this.#answers),
        ...defined({ finishReason: nameIn(part["reason"]), usage: tokens(toObject(part["tokens"]), part["cost"]) }),
      });
    else if (type === "text" || type === "tool_use" || type === "tool" || type === "reasoning") this.#readPart(part);
    else if (type === "error")
      this.#run.record({
        type: "model.failed",
        ...defined({
          at,
          message: nameIn(toObject(toObject(event["error"])["data"])["message"]),
          code: nameIn(toObject(event["error"])["name"]),
        }),
      });
    else this.#unknown(`event ${textIn(type)}`);
  }
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
function tokens({ input, output, reasoning, cache }: LooseObject, cost: unknown): Usage | undefined {
  const { read, write } = toObject(cache);
  const inputTokens =
    numberIn(input) === undefined ? undefined : Number(input) + (numberIn(read) ?? 0) + (numberIn(write) ?? 0);
  return knownUsage({
    inputTokens,
    outputTokens: numberIn(output) === undefined ? undefined : Number(output) + (numberIn(reasoning) ?? 0),
    reasoningTokens: reasoning,
    cachedInputTokens: read,
    cacheWriteTokens: write,
    cost,
  });
}
