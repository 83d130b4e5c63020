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
import { blocksOf, textOf } from "./content-blocks.ts";

/** Converts a message of the model. Calls without a unique id get one. */
export function messageToAnswer(message: unknown): ModelAnswer {
  const { content, stop_reason: stop, usage: given, model: used, type, error } = toObject(message);
  const finish = nameIn(stop);
  const usage = knownUsage(given, "anthropic");
  const model = nameIn(used);
  const reasoning = blocksOf(content)
    .map(({ thinking }) => textIn(thinking))
    .join("");
  const { type: code, message: problem } = toObject(error);
  return {
    ...defined({ model, usage, finishReason: finish }),
    ...(reasoning !== "" && { reasoning }),
    text: textOf(content),
    calls: withUniqueIds(blocksOf(content).filter(isCall).map(callOf)),
    // Compatible servers send an error with status 200.
    ...(type === "error" && { failure: { code: textIn(code), message: textIn(problem) } }),
  };
}

/** True if a block is a call the host must answer. The server answers its own calls. */
export function isCall({ type }: LooseObject): boolean {
  return type === "tool_use";
}

/** True if a block is the summary that replaces the messages before it. */
export function isCompaction({ type }: LooseObject): boolean {
  return type === "compaction";
}

function callOf({ id, name, input }: LooseObject): ModelAnswer["calls"][number] {
  // A streamed call has its input as text.
  return typeof input === "string"
    ? readCall(textIn(id), textIn(name), input)
    : { call: textIn(id), tool: textIn(name), input: input ?? {} };
}

function withUniqueIds(calls: ModelAnswer["calls"]): ModelAnswer["calls"] {
  const taken = new Set<string>();
  return calls.map((made, index) => {
    const call =
      made.call === "" || taken.has(made.call) ? `${made.call === "" ? made.tool : made.call}#${index + 1}` : made.call;
    taken.add(call);
    return { ...made, call };
  });
}

/** An event without words. */
const NO_TEXT: ChunkText = { text: "", reasoning: "" };

/** Assembles the events of a stream into one message. */
export function createMessageCollector(): {
  readonly add: (event: LooseObject) => ChunkText;
  readonly message: () => LooseObject | undefined;
} {
  let message: LooseObject = {};
  let stopped = false;
  const blocks: { [member: string]: unknown }[] = [];

  /** Adds one event and returns its text and reasoning. */
  function add(event: LooseObject): ChunkText {
    const delta = toObject(event["delta"]);
    switch (event["type"]) {
      case "message_start":
        message = toObject(event["message"]);
        return NO_TEXT;
      case "content_block_start": {
        const block = toObject(event["content_block"]);
        blocks[Number(event["index"])] = { ...block, ...(isCall(block) && { input: "" }) };
        return NO_TEXT;
      }
      case "content_block_delta":
        return addDelta(blocks[Number(event["index"])] ?? {}, delta);
      case "message_delta": {
        const usage = { ...toObject(message["usage"]), ...withoutNulls(event["usage"]) };
        message = { ...message, ...withoutNulls(delta), ...(Object.keys(usage).length > 0 && { usage }) };
        return NO_TEXT;
      }
      case "message_stop":
        stopped = true;
        return NO_TEXT;
      default:
        return NO_TEXT;
    }
  }

  return {
    add,
    message: () =>
      stopped || nameIn(message["stop_reason"]) !== undefined
        ? { ...message, content: blocks.filter(Boolean) }
        : undefined,
  };
}

function addDelta(block: { [member: string]: unknown }, delta: LooseObject): ChunkText {
  const append = (member: string, piece: unknown): void => {
    block[member] = textIn(block[member]) + textIn(piece);
  };
  if (delta["type"] === "input_json_delta") append("input", delta["partial_json"]);
  if (delta["type"] === "thinking_delta") append("thinking", delta["thinking"]);
  if (delta["type"] === "compaction_delta") append("content", delta["content"]);
  if (delta["type"] === "text_delta") append("text", delta["text"]);
  return { text: textIn(delta["text"]), reasoning: textIn(delta["thinking"]) };
}

function withoutNulls(value: unknown): LooseObject {
  return Object.fromEntries(Object.entries(toObject(value)).filter(([, member]) => member !== null));
}
