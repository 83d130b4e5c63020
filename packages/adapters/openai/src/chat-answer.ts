import {
  type ChunkText,
  defined,
  knownUsage,
  type LooseObject,
  type ModelAnswer,
  nameIn,
  readCall,
  textIn,
  toObject,
} from "@phasekit/core/adapter";
import { objectsIn } from "./objects-in.ts";

/** Converts a chat completion. */
export function chatToAnswer(completion: LooseObject): ModelAnswer {
  const [choice = {}] = objectsIn(completion["choices"]);
  const message = toObject(choice["message"]);
  const finish = nameIn(choice["finish_reason"]);
  const reasoning = reasoningIn(message);
  const usage = knownUsage(completion["usage"], "chat");
  const model = nameIn(completion["model"]);
  // A gateway reports the failure of a provider inside the choice.
  const error = choice["message"] === undefined ? (completion["error"] ?? choice["error"]) : choice["error"];
  return {
    ...defined({ model, usage, finishReason: finish }),
    ...(reasoning !== "" && { reasoning }),
    text: textIn(message["content"]),
    calls: objectsIn(message["tool_calls"]).map(callOf),
    ...(error !== undefined &&
      error !== null && { failure: { code: codeOf(toObject(error)), message: textIn(toObject(error)["message"]) } }),
  };
}

/** The reasoning of a message, under either name that servers use. OpenAI's own chat completions have none. */
function reasoningIn({ reasoning_content: content, reasoning }: LooseObject): string {
  return textIn(content ?? reasoning);
}

/** Some gateways send the code as a number. */
function codeOf({ code }: LooseObject): string {
  return typeof code === "number" ? String(code) : textIn(code);
}

function callOf(call: LooseObject): ModelAnswer["calls"][number] {
  const { name, arguments: text, input } = toObject(call["function"] ?? call["custom"]);
  return readCall(textIn(call["id"]), textIn(name), textIn(text ?? input));
}

/** A chunk without words. */
export const NO_TEXT: ChunkText = { text: "", reasoning: "" };

/** Assembles the chunks of a streamed completion into one completion. */
export function createChatCollector(): {
  readonly add: (chunk: LooseObject) => ChunkText;
  readonly completion: () => LooseObject;
} {
  const calls: { id: string; function: { name: string; arguments: string } }[] = [];
  let content = "";
  let thought = "";
  let finish: unknown;
  let usage: unknown;
  let model: unknown;
  let id: unknown;

  /** Adds one chunk and returns its text and reasoning. */
  function add(chunk: LooseObject): ChunkText {
    id ??= chunk["id"];
    model ??= chunk["model"];
    usage = chunk["usage"] ?? usage;
    const [choice] = objectsIn(chunk["choices"]);
    if (choice === undefined || (choice["index"] ?? 0) !== 0) return NO_TEXT;
    finish = choice["finish_reason"] ?? finish;
    const delta = toObject(choice["delta"]);
    for (const part of objectsIn(delta["tool_calls"])) {
      const { name, arguments: text } = toObject(part["function"]);
      // Without an index, a part with a name or an id starts a call; any other part continues the last one.
      const unnumbered = calls.length - (part["id"] === undefined && name === undefined && calls.length > 0 ? 1 : 0);
      const call = (calls[typeof part["index"] === "number" ? part["index"] : unnumbered] ??= {
        id: "",
        function: { name: "", arguments: "" },
      });
      call.id ||= textIn(part["id"]);
      call.function.name ||= textIn(name);
      call.function.arguments += textIn(text);
    }
    const pieces = { text: textIn(delta["content"]), reasoning: reasoningIn(delta) };
    content += pieces.text;
    thought += pieces.reasoning;
    return pieces;
  }

  return {
    add,
    completion: () => ({
      id,
      model,
      usage,
      choices: [
        {
          message: {
            content,
            ...(thought !== "" && { reasoning_content: thought }),
            ...(calls.length > 0 && { tool_calls: calls.filter(Boolean) }),
          },
          finish_reason: finish,
        },
      ],
    }),
  };
}
