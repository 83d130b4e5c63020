import { defined, knownUsage, type LooseObject, nameIn, numberIn, textIn, toObject } from "@phasekit/core/adapter";
import { contentText, objectsIn, timeIn } from "../../parse/loose-json.ts";
import { withoutNudge } from "../../write/nudges.ts";
import type { TranscriptFormat, TranslationContext, Translator } from "../../transcript-format.ts";
import type { RunWriter } from "../../write/run-writer.ts";

const ROLES: ReadonlySet<unknown> = new Set(["user", "assistant", "toolResult"]);

/** Sessions of the pi coding agent. */
export const pi: TranscriptFormat = {
  name: "pi",
  title: "pi",
  detect: ({ values }) => {
    const lines = values.map(toObject);
    const isSession = lines.some(
      ({ type, id, timestamp, cwd }) =>
        type === "session" && typeof id === "string" && typeof timestamp === "string" && typeof cwd === "string",
    );
    const isMessage = lines.some(
      ({ type, message }) =>
        type === "message" && ROLES.has(toObject(message)["role"]) && toObject(message)["timestamp"] !== undefined,
    );
    return isSession && isMessage ? { certainty: 1 } : isSession || isMessage ? { certainty: 0.7 } : undefined;
  },
  translate,
};

function translate(options: TranslationContext): Translator {
  return new PiTranslator(options);
}

class PiTranslator implements Translator {
  readonly #skip: (kind: string) => void;
  readonly #unknown: (kind: string) => void;
  readonly #run: RunWriter;
  #aborted = false;
  #answers = 0;

  constructor({ runs, skip, unknown }: TranslationContext) {
    this.#skip = skip;
    this.#unknown = unknown;
    this.#run = runs.open({ agent: "pi" });
  }

  readonly take: Translator["take"] = ({ value }) => {
    const line = toObject(value);
    const at = timeIn(line["timestamp"]);
    switch (line["type"]) {
      case "session":
        this.#run.rename(nameIn(line["id"]) ?? this.#run.id);
        return this.#run.describe(defined({ folder: nameIn(line["cwd"]), model: nameIn(line["modelId"]) }));
      case "message":
        return this.#message(toObject(line["message"]), at);
      case "compaction":
        return this.#run.record({
          type: "context.compacted",
          ...defined({ tokensBefore: numberIn(line["tokensBefore"]) }),
          ...defined({ at }),
        });
      case "model_change":
      case "thinking_level_change":
      case "branch_summary":
      case "custom":
      case "custom_message":
      case "label":
      case "context_edit":
      case "session_info":
        return this.#skip(line["type"]);
      default:
        this.#unknown(textIn(line["type"]) === "" ? "line without a type" : textIn(line["type"]));
    }
  };

  readonly end: Translator["end"] = () => {
    if (this.#aborted) this.#run.end({ reason: "cancelled", status: "aborted" });
  };

  #assistant(message: LooseObject, at: number | undefined): void {
    const { input, output, cacheRead, cacheWrite, reasoning, cost } = toObject(message["usage"]);
    const reason = textIn(message["stopReason"]);
    const calls = objectsIn(message["content"]).filter(({ type }) => type === "toolCall");
    const text = contentText(objectsIn(message["content"]).filter(({ type }) => type === "text"));
    // For an error the provider's own word says more.
    const finishReason = reason === "error" ? (nameIn(message["rawStopReason"]) ?? reason) : nameIn(reason);
    this.#aborted = reason === "aborted";
    this.#answers += 1;
    const failed = reason === "aborted" || reason === "error";
    // An answer that was given up before anything came of it is only a failure.
    if (!failed || calls.length > 0 || text !== "") {
      const inputTokens =
        numberIn(input) === undefined
          ? undefined
          : Number(input) + (numberIn(cacheRead) ?? 0) + (numberIn(cacheWrite) ?? 0);
      const usage = knownUsage({
        inputTokens,
        outputTokens: output,
        cachedInputTokens: cacheRead,
        cacheWriteTokens: cacheWrite,
        reasoningTokens: reasoning,
        cost: toObject(cost)["total"],
      });
      this.#run.answer({
        id: String(this.#answers),
        ...defined({ at, model: nameIn(message["model"]), usage, finishReason }),
      });
      for (const { type, thinking } of objectsIn(message["content"]))
        if (type === "thinking") this.#run.reasoning(textIn(thinking));
      this.#run.text(text);
      for (const { id, name, arguments: given } of calls)
        this.#run.call({ tool: textIn(name), input: given, ...defined({ call: nameIn(id), at }) });
    }
    if (failed)
      this.#run.record({
        type: "model.failed",
        ...defined({ at, code: this.#aborted ? "aborted" : undefined, message: nameIn(message["errorMessage"]) }),
      });
  }

  #message(value: LooseObject, at: number | undefined): void {
    switch (value["role"]) {
      case "user":
        return this.#run.user(contentText(value["content"]), defined({ at }));
      case "assistant":
        return this.#assistant(value, at);
      case "toolResult": {
        const text = withoutNudge(contentText(value["content"]));
        const written = /Command exited with code (\d+)\s*$/.exec(text)?.[1];
        // A command that is not an error has ended with 0.
        const exitCode = written ?? (value["toolName"] === "bash" && value["isError"] === false ? "0" : undefined);
        return this.#run.result({
          output: text,
          outcome: text.endsWith("Command aborted") ? "denied" : value["isError"] === true ? "error" : "ok",
          ...defined({
            call: nameIn(value["toolCallId"]),
            tool: nameIn(value["toolName"]),
            at,
            exitCode: exitCode === undefined ? undefined : Number(exitCode),
          }),
        });
      }
      case "system":
      case "bashExecution":
      case "custom":
      case "branchSummary":
      case "compactionSummary":
      case "hookMessage":
        return this.#skip(value["role"]);
      default:
        this.#unknown(`role ${textIn(value["role"])}`);
    }
  }
}
