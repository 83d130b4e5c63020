import type { ResultNotes, RunWriter } from "../../write/run-writer.ts";
import { defined, knownUsage, type LooseObject, nameIn, setBounded, textIn, toObject } from "@phasekit/core/adapter";
import { contentText, objectsIn, timeIn } from "../../parse/loose-json.ts";
import { todosOf } from "../../write/todos.ts";
import type { TranscriptFormat, TranslationContext, Translator } from "../../transcript-format.ts";
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
  translate: (context) => (context.variant === "stream" ? translateStream(context) : new GeminiTranslator(context)),
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

/** Gemini CLI's own words to a model that repeats itself. If it does so again, the session ends without a word. */
const LOOP = "System: Potential loop";

class GeminiTranslator implements Translator {
  readonly #skip: (kind: string) => void;
  readonly #unknown: (kind: string) => void;
  readonly #run: RunWriter;
  readonly #written = new Map<string, Written>();
  /** The loop detector has spoken, and no answer followed. */
  #isLoop = false;

  constructor({ runs, skip, unknown }: TranslationContext) {
    this.#skip = skip;
    this.#unknown = unknown;
    this.#run = runs.open({ agent: "Gemini CLI" });
  }

  readonly take: Translator["take"] = ({ path, value }) => {
    const last = path.at(-1);
    const object = toObject(value);
    if (last === "sessionId" || last === "startTime") this.#header({ [last]: value });
    else if (typeof last === "string") this.#skip(last);
    else if (objectsIn(toObject(object["$set"])["messages"]).some(isSnapshot))
      this.#run.record({ type: "context.compacted" });
    else if ("$set" in object || "$rewindTo" in object) this.#skip("$set");
    else if (object["type"] === undefined && object["sessionId"] !== undefined) this.#header(object);
    else this.#message(object);
  };

  readonly end: Translator["end"] = () => {
    if (this.#isLoop) this.#run.end({ reason: "aborted_stagnation", status: LOOP });
  };

  #writtenOf(id: string): Written {
    const found = this.#written.get(id) ?? { text: false, calls: new Set(), results: new Set() };
    setBounded(this.#written, [id, found], MAX_WRITTEN);
    return found;
  }

  #answer(message: LooseObject, at: number | undefined): void {
    this.#isLoop = false;
    const id = textIn(message["id"]);
    const before = this.#writtenOf(id);
    const { input, output, cached, thoughts } = toObject(message["tokens"]);
    const out = typeof output === "number" ? output + (typeof thoughts === "number" ? thoughts : 0) : undefined;
    const notes = {
      id,
      ...defined({
        model: nameIn(message["model"]),
        usage: knownUsage({
          inputTokens: input,
          outputTokens: out,
          cachedInputTokens: cached,
          reasoningTokens: thoughts,
        }),
      }),
    };
    if (before.text) this.#run.amend(notes);
    else {
      this.#run.answer({ ...notes, ...defined({ at }) });
      for (const { subject, description } of objectsIn(message["thoughts"]))
        this.#run.reasoning([subject, description].map(textIn).join(": "));
      this.#run.text(contentText(message["content"]));
    }
    before.text = true;
    for (const call of objectsIn(message["toolCalls"])) this.#toolCall(call, { before, at });
  }

  #toolCall(call: LooseObject, { before, at }: { readonly before: Written; readonly at: number | undefined }): void {
    const id = textIn(call["id"]);
    const tool = textIn(call["name"]);
    if (!before.calls.has(id)) {
      before.calls.add(id);
      this.#run.call({ call: id, tool, input: call["args"], ...defined({ at }) });
      const todos = todosOf(tool, call["args"]);
      if (todos !== undefined) this.#run.record({ ...todos, ...defined({ at }) });
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
    this.#run.result({ call: id, output, ...defined({ outcome, at: timeIn(call["timestamp"]), exitCode: code }) });
  }

  #header({ sessionId, startTime, directories }: LooseObject): void {
    this.#run.rename(nameIn(sessionId) ?? this.#run.id);
    this.#run.describe(
      defined({
        startedAt: timeIn(startTime),
        folder: Array.isArray(directories) ? nameIn(directories[0]) : undefined,
      }),
    );
  }

  #message(value: LooseObject): void {
    const at = timeIn(value["timestamp"]);
    if (value["type"] === "gemini") return this.#answer(value, at);
    const text = contentText(value["content"]);
    switch (value["type"]) {
      case "user": {
        const written = this.#writtenOf(textIn(value["id"]));
        if (written.text) return this.#skip("message given twice");
        written.text = true;
        this.#isLoop = text.startsWith(LOOP);
        if (!this.#isLoop) this.#run.user(text, defined({ at }));
        break;
      }
      case "error":
        return this.#run.record({ type: "model.failed", message: text, ...defined({ at }) });
      case "info":
      case "warning": {
        const [, before, after] = COMPRESSED.exec(text) ?? [];
        if (after === undefined) return this.#skip(`${value["type"]} message`);
        return this.#run.record({
          type: "context.compacted",
          tokensBefore: Number(before),
          tokensAfter: Number(after),
          ...defined({ at }),
        });
      }
      default:
        this.#unknown(`message ${textIn(value["type"])}`);
    }
  }
}

const isSnapshot = ({ content }: LooseObject): boolean => contentText(content).includes(SNAPSHOT);
