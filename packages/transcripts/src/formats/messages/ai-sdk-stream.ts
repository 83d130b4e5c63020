import { defined, type LooseObject, nameIn, textIn, toObject } from "@phasekit/core/adapter";
import { objectsIn, readArguments } from "../../parse/loose-json.ts";
import { mostly } from "../../parse/mostly.ts";
import type { TranscriptFormat, TranslationContext, Translator } from "../../transcript-format.ts";

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

function translate({ runs, variant, skip, unknown }: TranslationContext): Translator {
  const run = runs.open();
  let reasoning = "";
  let steps = 0;
  const inputs = new Map<string, { readonly tool: string; text: string }>();

  /** A call counts once its input is whole; some streams end it only with its result. */
  function call(id: string, tool: string, input: unknown): void {
    if (run.isOpen(id)) return;
    run.call({ call: id, tool, input });
    inputs.delete(id);
  }

  function settle(id: string): void {
    const waiting = inputs.get(id);
    if (waiting !== undefined) call(id, waiting.tool, readArguments(waiting.text));
  }

  function chunk(value: LooseObject): void {
    const type = textIn(value["type"]);
    const id = textIn(value["toolCallId"]);
    switch (type) {
      case "start":
        return run.rename(nameIn(value["messageId"]) ?? run.id);
      case "start-step":
        steps += 1;
        return run.answer({ id: String(steps) });
      case "text-delta":
        return run.text(textIn(value["delta"]));
      case "reasoning-delta":
        reasoning += textIn(value["delta"]);
        return;
      case "reasoning-end":
        run.reasoning(reasoning);
        reasoning = "";
        return;
      case "finish":
        return value["finishReason"] !== undefined &&
          run.amend(defined({ finishReason: nameIn(value["finishReason"]) }))
          ? undefined
          : skip(type);
      case "tool-input-start":
        inputs.set(id, { tool: textIn(value["toolName"]), text: "" });
        return;
      case "tool-input-delta": {
        const waiting = inputs.get(id);
        if (waiting !== undefined) waiting.text += textIn(value["inputTextDelta"]);
        return;
      }
      case "tool-input-available":
      case "tool-input-error":
        call(id, textIn(value["toolName"]), value["input"]);
        return type === "tool-input-error"
          ? run.result({ call: id, output: value["errorText"], outcome: "error" })
          : undefined;
      case "finish-step":
        for (const open of [...inputs.keys()]) settle(open);
        return;
      case "tool-output-available":
        settle(id);
        return value["preliminary"] === true
          ? skip("preliminary output")
          : run.result({ call: id, output: value["output"] });
      case "tool-output-error":
        settle(id);
        return run.result({ call: id, output: value["errorText"], outcome: "error" });
      case "tool-output-denied":
        settle(id);
        return run.result({ call: id, outcome: "denied" });
      case "error":
        return run.record({ type: "model.failed", ...defined({ message: nameIn(value["errorText"]) }) });
      case "abort":
        run.record({ type: "model.failed", code: "aborted" });
        return run.end({ reason: "cancelled", status: "abort" });
      default:
        if (CHUNK.test(type)) skip(type);
        else unknown(`chunk ${type}`);
    }
  }

  return {
    take: ({ value }) => {
      if (variant !== "events") return chunk(toObject(value));
      const data = /^data: (\{.*\})\s*$/.exec(textIn(value))?.[1];
      if (data === undefined) return textIn(value).trim() === "" ? undefined : skip("line of the stream");
      chunk(toObject(readArguments(data)));
    },
  };
}
