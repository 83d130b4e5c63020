import {
  defined,
  knownUsage,
  type LooseObject,
  type ModelAnswer,
  nameIn,
  setBounded,
  textIn,
  toObject,
} from "@phasekit/core/adapter";
import { objectsIn } from "./objects-in.ts";

/** Assembles an answer of the model: Claude Code sends every block of it as a message of its own. */
export interface AnswerCollector {
  /** Adds an `assistant` message. Returns the answer before it, if this one begins another. */
  readonly addBlocks: (message: LooseObject) => ModelAnswer | undefined;
  /** Adds an event of a partial message. Returns the answer if it is complete. */
  readonly addEvent: (event: LooseObject) => ModelAnswer | undefined;
  /** Returns what there is of an answer that the host has moved on from. */
  readonly flush: () => ModelAnswer | undefined;
}

interface Open {
  readonly id: string;
  readonly blocks: LooseObject[];
  message: LooseObject;
}

const MAX_KNOWN = 64;

export function createAnswerCollector(): AnswerCollector {
  let open: Open | undefined;
  /** Answers that were returned. Their last blocks may come after the first call has run. */
  const over = new Map<string, true>();

  function begin(message: LooseObject): ModelAnswer | undefined {
    const id = textIn(message["id"]);
    if (open?.id === id || over.has(id)) return undefined;
    const before = flush();
    open = { id, blocks: [], message };
    return before;
  }

  function flush(): ModelAnswer | undefined {
    if (open === undefined) return undefined;
    const { id, message, blocks } = open;
    open = undefined;
    setBounded(over, [id, true], MAX_KNOWN);
    return toAnswer(message, blocks);
  }

  return {
    addBlocks: (message) => {
      const before = begin(message);
      if (open?.id === textIn(message["id"])) open.blocks.push(...objectsIn(message["content"]));
      return before;
    },
    addEvent: (event) => {
      if (event["type"] === "message_start") return begin(toObject(event["message"]));
      if (event["type"] === "message_stop") return flush();
      if (event["type"] !== "message_delta" || open === undefined) return undefined;
      const { message } = open;
      const usage = { ...toObject(message["usage"]), ...toObject(event["usage"]) };
      open.message = { ...message, ...toObject(event["delta"]), usage };
      return undefined;
    },
    flush,
  };
}

function toAnswer(message: LooseObject, blocks: readonly LooseObject[]): ModelAnswer {
  const finish = nameIn(message["stop_reason"]);
  const model = nameIn(message["model"]);
  const reasoning = blocks.map(({ thinking }) => textIn(thinking)).join("");
  // Claude Code copies the usage of the first event into every block: the output is known only at the end.
  const { output_tokens: output, output_tokens_details: details, ...input } = toObject(message["usage"]);
  const usage = knownUsage(
    finish === undefined ? input : { ...input, output_tokens: output, output_tokens_details: details },
    "anthropic",
  );
  return {
    ...defined({ model, usage, finishReason: finish }),
    ...(reasoning !== "" && { reasoning }),
    text: blocks.map(({ type, text }) => (type === "text" ? textIn(text) : "")).join(""),
    calls: blocks
      .filter(({ type }) => type === "tool_use")
      .map(({ id, name, input }) => ({ call: textIn(id), tool: textIn(name), input: input ?? {} })),
  };
}
