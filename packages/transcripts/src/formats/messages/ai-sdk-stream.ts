import { defined, type LooseObject, nameIn, textIn, toObject } from "@phasekit/core/adapter";
import { objectsIn, readArguments } from "../../parse/loose-json.ts";
import { mostly } from "../../parse/mostly.ts";
import type { TranscriptFormat, TranslationContext, Translator } from "../../transcript-format.ts";
import type { RunWriter } from "../../write/run-writer.ts";

const CHUNK_PARTS = [
  "start",
  "start-step",
  "finish-step",
  "finish",
  "text-(?:start|delta|end)",
  "reasoning-(?:start|delta|end)",
  "tool-input-(?:start|delta|available|error)",
  "tool-output-(?:available|error|denied)",
  "tool-approval-request",
  "message-metadata",
  "abort",
  "error",
  "source-.*",
  "file",
  "data-.*",
];
const CHUNK = new RegExp(`^(?:${CHUNK_PARTS.join("|")})$`);

/** A recorded UI message stream of the Vercel AI SDK: a list of chunks, lines, or the server-sent events themselves. */
export const aiSdkStream: TranscriptFormat = {
  name: "ai-sdk-stream",
  title: "AI SDK UI message stream",
  detect: ({ layout, values, text }) => {
    const chunks = layout === "lines" ? values : layout === "document" ? objectsIn(values[0]) : [];
    const isOurs =
      mostly(chunks, (chunk) => CHUNK.test(textIn(toObject(chunk)["type"]))) &&
      chunks.some(
        (chunk) =>
          /^(?:start|text|tool|reasoning)-/.test(textIn(toObject(chunk)["type"])) ||
          toObject(chunk)["type"] === "start",
      );
    if (isOurs) return { certainty: 0.9, ...(layout === "document" && { split: ["*"] }) };
    return layout === "text" && /^data: \{"type":"start/.test(text.trimStart())
      ? { certainty: 0.9, variant: "events" }
      : undefined;
  },
  translate,
};

function translate(options: TranslationContext): Translator {
  return new StreamTranslator(options);
}

class StreamTranslator implements Translator {
  readonly #variant: string | undefined;
  readonly #skip: (kind: string) => void;
  readonly #unknown: (kind: string) => void;
  readonly #run: RunWriter;
  #reasoning = "";
  #steps = 0;
  readonly #inputs = new Map<string, { readonly tool: string; text: string }>();

  constructor({ runs, variant, skip, unknown }: TranslationContext) {
    this.#variant = variant;
    this.#skip = skip;
    this.#unknown = unknown;
    this.#run = runs.open();
  }

  readonly take: Translator["take"] = ({ value }) => {
    if (this.#variant !== "events") return this.#chunk(toObject(value));
    const data = /^data: (\{.*\})\s*$/.exec(textIn(value))?.[1];
    if (data === undefined) return textIn(value).trim() === "" ? undefined : this.#skip("line of the stream");
    this.#chunk(toObject(readArguments(data)));
  };

  /** A call counts once its input is whole; some streams end it only with its result. */
  #call(id: string, tool: string, input: unknown): void {
    if (this.#run.isOpen(id)) return;
    this.#run.call({ call: id, tool, input });
    this.#inputs.delete(id);
  }

  #settle(id: string): void {
    const waiting = this.#inputs.get(id);
    if (waiting !== undefined) this.#call(id, waiting.tool, readArguments(waiting.text));
  }

  #chunk(value: LooseObject): void {
    const type = textIn(value["type"]);
    const id = textIn(value["toolCallId"]);
    switch (type) {
      case "start":
        return this.#run.rename(nameIn(value["messageId"]) ?? this.#run.id);
      case "start-step":
        this.#steps += 1;
        return this.#run.answer({ id: String(this.#steps) });
      case "text-delta":
        return this.#run.text(textIn(value["delta"]));
      case "reasoning-delta":
        this.#reasoning += textIn(value["delta"]);
        return;
      case "reasoning-end":
        this.#run.reasoning(this.#reasoning);
        this.#reasoning = "";
        return;
      case "finish":
        return value["finishReason"] !== undefined &&
          this.#run.amend(defined({ finishReason: nameIn(value["finishReason"]) }))
          ? undefined
          : this.#skip(type);
      case "tool-input-start":
        this.#inputs.set(id, { tool: textIn(value["toolName"]), text: "" });
        return;
      case "tool-input-delta": {
        const waiting = this.#inputs.get(id);
        if (waiting !== undefined) waiting.text += textIn(value["inputTextDelta"]);
        return;
      }
      case "tool-input-available":
      case "tool-input-error":
        this.#call(id, textIn(value["toolName"]), value["input"]);
        return type === "tool-input-error"
          ? this.#run.result({ call: id, output: value["errorText"], outcome: "error" })
          : undefined;
      case "finish-step":
        for (const open of [...this.#inputs.keys()]) this.#settle(open);
        return;
      case "tool-output-available":
        this.#settle(id);
        return value["preliminary"] === true
          ? this.#skip("preliminary output")
          : this.#run.result({ call: id, output: value["output"] });
      case "tool-output-error":
        this.#settle(id);
        return this.#run.result({ call: id, output: value["errorText"], outcome: "error" });
      case "tool-output-denied":
        this.#settle(id);
        return this.#run.result({ call: id, outcome: "denied" });
      case "error":
        return this.#run.record({ type: "model.failed", ...defined({ message: nameIn(value["errorText"]) }) });
      case "abort":
        this.#run.record({ type: "model.failed", code: "aborted" });
        return this.#run.end({ reason: "cancelled", status: "abort" });
      default:
        if (CHUNK.test(type)) this.#skip(type);
        else this.#unknown(`chunk ${type}`);
    }
  }
}
