import type { ResultNotes } from "../../write/run-writer.ts";
import { defined, type LooseObject, nameIn, setBounded, textIn, toObject } from "@phasekit/core/adapter";
import { contentText, objectsIn, timeIn } from "../../parse/loose-json.ts";
import { todosOf } from "../../write/todos.ts";
import type { TranscriptFormat, TranslationContext, Translator } from "../../transcript-format.ts";
import { usageOf } from "../../write/usage.ts";
import { isStreamLine, translateStream } from "./gemini-stream.ts";

const TYPES: ReadonlySet<unknown> = new Set(["user", "gemini", "info", "error", "warning"]);

/**
 * Chats of Gemini CLI: a document, or lines in later versions, which write a message again when it grows. Also the
 * events of `--output-format stream-json`.
 */
export const geminiCli: TranscriptFormat = {
  name: "gemini-cli",
  title: "Gemini CLI",
  detect: ({ layout, values }) => {
    if (layout === "lines" && values.slice(0, 5).some(isStreamLine)) return { certainty: 1, variant: "stream" };
    const [first, second] = values;
    const { sessionId, projectHash, messages } = toObject(first);
    const isSession = typeof sessionId === "string" && typeof projectHash === "string";
    if (isSession && Array.isArray(messages))
      return { certainty: 1, split: layout === "lines" ? ["*.messages.*"] : ["messages.*"] };
    const { type, id, content } = toObject(second);
    if (isSession && (second === undefined || TYPES.has(type) || "$set" in toObject(second))) return { certainty: 1 };
    return TYPES.has(toObject(first)["type"]) &&
      typeof id === "string" &&
      content !== undefined &&
      toObject(second)["uuid"] === undefined &&
      TYPES.has(type)
      ? { certainty: 0.6 }
      : undefined;
  },
  translate: (context) => (context.variant === "stream" ? translateStream(context) : translate(context)),
};

/** The parts already written of a message that may come again. */
interface Written {
  text: boolean;
  readonly calls: Set<string>;
  readonly results: Set<string>;
}

const MAX_WRITTEN = 200;
const COMPRESSED = /compressed from (\d+) to (\d+) tokens/i;
/** The summary that takes the place of a compressed history. */
const SNAPSHOT = "<state_snapshot>";

function translate({ runs, skip, unknown }: TranslationContext): Translator {
  const run = runs.open({ agent: "Gemini CLI" });
  const written = new Map<string, Written>();

  function writtenOf(id: string): Written {
    const found = written.get(id) ?? { text: false, calls: new Set(), results: new Set() };
    setBounded(written, [id, found], MAX_WRITTEN);
    return found;
  }

  function answer(message: LooseObject, at: number | undefined): void {
    const id = textIn(message["id"]);
    const before = writtenOf(id);
    const { input, output, cached, thoughts } = toObject(message["tokens"]);
    const out = typeof output === "number" ? output + (typeof thoughts === "number" ? thoughts : 0) : undefined;
    const notes = {
      id,
      ...defined({
        model: nameIn(message["model"]),
        usage: usageOf({ inputTokens: input, outputTokens: out, cachedInputTokens: cached, reasoningTokens: thoughts }),
      }),
    };
    if (!before.text) run.answer({ ...notes, ...defined({ at }) });
    else run.amend(notes);
    if (!before.text) {
      for (const { subject, description } of objectsIn(message["thoughts"]))
        run.reasoning([subject, description].map(textIn).join(": "));
      run.text(contentText(message["content"]));
    }
    before.text = true;
    for (const call of objectsIn(message["toolCalls"])) toolCall(call, { before, at });
  }

  function toolCall(
    call: LooseObject,
    { before, at }: { readonly before: Written; readonly at: number | undefined },
  ): void {
    const id = textIn(call["id"]);
    const tool = textIn(call["name"]);
    if (!before.calls.has(id)) {
      before.calls.add(id);
      run.call({ call: id, tool, input: call["args"], ...defined({ at }) });
      const todos = todosOf(tool, call["args"]);
      if (todos !== undefined) run.record({ ...todos, ...defined({ at }) });
    }
    const { status, result } = call;
    if (before.results.has(id) || (result === undefined && status !== "cancelled" && status !== "error")) return;
    before.results.add(id);
    const response = objectsIn(result).map(({ functionResponse }) => toObject(toObject(functionResponse)["response"]));
    const error = response.find((given) => given["error"] !== undefined)?.["error"];
    const output =
      error ?? response.find((given) => given["output"] !== undefined)?.["output"] ?? call["resultDisplay"] ?? result;
    const exitCode = /^Exit Code: (-?\d+)$/m.exec(textIn(output))?.[1];
    const outcome: ResultNotes["outcome"] =
      status === "cancelled" ? "denied" : status === "error" || error !== undefined ? "error" : undefined;
    const code = exitCode === undefined ? undefined : Number(exitCode);
    run.result({ call: id, output, ...defined({ outcome, at: timeIn(call["timestamp"]), exitCode: code }) });
  }

  function header({ sessionId, startTime, directories }: LooseObject): void {
    run.rename(nameIn(sessionId) ?? run.id);
    run.describe(
      defined({
        startedAt: timeIn(startTime),
        folder: Array.isArray(directories) ? nameIn(directories[0]) : undefined,
      }),
    );
  }

  function message(value: LooseObject): void {
    const at = timeIn(value["timestamp"]);
    switch (value["type"]) {
      case "user":
        if (writtenOf(textIn(value["id"])).text) return skip("message given twice");
        writtenOf(textIn(value["id"])).text = true;
        return run.user(contentText(value["content"]), defined({ at }));
      case "gemini":
        return answer(value, at);
      case "error":
        return run.record({ type: "model.failed", message: contentText(value["content"]), ...defined({ at }) });
      case "info": {
        const [, before, after] = COMPRESSED.exec(contentText(value["content"])) ?? [];
        if (before === undefined || after === undefined) return skip("info message");
        return run.record({
          type: "context.compacted",
          tokensBefore: Number(before),
          tokensAfter: Number(after),
          ...defined({ at }),
        });
      }
      case "warning":
        return skip(`${value["type"]} message`);
      default:
        unknown(`message ${textIn(value["type"])}`);
    }
  }

  return {
    take: ({ path, value }) => {
      const last = path.at(-1);
      const object = toObject(value);
      if (last === "sessionId") run.rename(nameIn(value) ?? run.id);
      else if (last === "startTime") run.describe(defined({ startedAt: timeIn(value) }));
      else if (typeof last === "string") skip(last);
      else if (hasSnapshot(object["$set"])) run.record({ type: "context.compacted" });
      else if ("$set" in object || "$rewindTo" in object) skip("$set");
      else if (object["type"] === undefined && object["sessionId"] !== undefined) header(object);
      else message(object);
    },
  };
}

function hasSnapshot(set: unknown): boolean {
  return objectsIn(toObject(set)["messages"]).some(({ content }) => contentText(content).includes(SNAPSHOT));
}
