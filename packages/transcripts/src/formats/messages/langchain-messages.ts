import {
  defined,
  isObject,
  knownUsage,
  type LooseObject,
  nameIn,
  tableOf,
  textIn,
  toObject,
} from "@phasekit/core/adapter";
import { contentText, objectsIn, readArguments, readResult } from "../../parse/loose-json.ts";
import { mostly } from "../../parse/mostly.ts";
import type { RunWriter } from "../../write/run-writer.ts";
import type { Sample } from "../../parse/sample.ts";
import type { FormatMatch, TranscriptFormat } from "../../transcript-format.ts";

/** Messages of LangChain and LangGraph in any stored form: constructors, stored messages, plain dumps. */
export const langchainMessages: TranscriptFormat = {
  name: "langchain-messages",
  title: "LangChain messages",
  detect,
  translate: ({ runs, skip, unknown }) => {
    const run = runs.open();
    let count = 0;
    return {
      take: ({ path, value }) => {
        if (typeof path.at(-1) === "string") return skip(String(path.at(-1)));
        const message = readMessage(value);
        if (message === undefined) return unknown("value that is not a message");
        count += 1;
        langchainMessage(run, message, { count, skip, unknown });
      },
    };
  },
};

/** A message in no form of storage. */
interface LangchainMessage {
  readonly type: string;
  readonly fields: LooseObject;
}

const TYPES: Readonly<Record<string, string>> = tableOf({
  HumanMessage: "human",
  HumanMessageChunk: "human",
  AIMessage: "ai",
  AIMessageChunk: "ai",
  ToolMessage: "tool",
  ToolMessageChunk: "tool",
  SystemMessage: "system",
  SystemMessageChunk: "system",
  FunctionMessage: "function",
  human: "human",
  ai: "ai",
  tool: "tool",
  system: "system",
  function: "function",
  remove: "remove",
  RemoveMessage: "remove",
  ChatMessage: "generic",
  generic: "generic",
});

/** Reads a message in any form; `undefined` when it is none. */
function readMessage(value: unknown): LangchainMessage | undefined {
  const object = toObject(value);
  if (object["lc"] !== undefined && Array.isArray(object["id"])) {
    const type = TYPES[String(object["id"].at(-1))];
    return type === undefined ? undefined : { type, fields: toObject(object["kwargs"]) };
  }
  const type = TYPES[textIn(object["type"])];
  if (type === undefined) return undefined;
  if (isObject(object["data"]) && object["content"] === undefined) return { type, fields: object["data"] };
  return "content" in object || type === "remove" ? { type, fields: object } : undefined;
}

/** Node names of single-agent graphs, which are not names of agents. */
const NODES: ReadonlySet<unknown> = new Set(["model", "agent", "model_request"]);

/** The text of the tool node for an error. */
const THROWN = /^Error: ([\s\S]*?)\n Please fix your mistakes\.$/;

/** Writes one message of LangChain. */
function langchainMessage(
  run: RunWriter,
  { type, fields }: LangchainMessage,
  {
    count,
    skip,
    unknown,
  }: { readonly count: number; readonly skip: (kind: string) => void; readonly unknown: (kind: string) => void },
): void {
  switch (type) {
    case "human":
      return run.user(contentText(fields["content"]));
    case "ai": {
      const meta = toObject(fields["response_metadata"]);
      const usage =
        knownUsage(fields["usage_metadata"], "langchain") ?? knownUsage(meta["token_usage"] ?? meta["usage"], "chat");
      run.answer({
        id: String(count),
        ...defined({
          usage,
          model: nameIn(meta["model_name"] ?? meta["model"]),
          agent: NODES.has(fields["name"]) ? undefined : nameIn(fields["name"]),
          finishReason: nameIn(meta["finish_reason"] ?? meta["stop_reason"]),
        }),
      });
      run.text(contentText(listOfText(fields["content"])));
      return writeCalls(run, fields);
    }
    case "tool":
    case "function": {
      const text = contentText(fields["content"]);
      const output = fields["status"] === "error" ? (THROWN.exec(text)?.[1] ?? text) : readResult(text);
      const { exitCode } = toObject(output);
      return run.result({
        output,
        outcome: fields["status"] === "error" ? "error" : "ok",
        ...defined({ call: nameIn(fields["tool_call_id"]), tool: nameIn(fields["name"]) }),
        ...(typeof exitCode === "number" && { exitCode }),
      });
    }
    case "system":
    case "remove":
      return skip(`${type} message`);
    default:
      unknown(`message ${type}`);
  }
}

function writeCalls(run: RunWriter, fields: LooseObject): void {
  const calls = objectsIn(fields["tool_calls"]);
  for (const { id, name, args } of calls)
    run.call({ tool: textIn(name), input: args, ...defined({ call: nameIn(id) }) });
  // Arguments that could not be parsed. The model gets an error, which is the result.
  for (const { id, name, args } of objectsIn(fields["invalid_tool_calls"]))
    run.call({ tool: textIn(name), input: args, ...defined({ call: nameIn(id) }) });
  if (calls.length > 0) return;
  for (const call of objectsIn(toObject(fields["additional_kwargs"])["tool_calls"])) {
    const { name, arguments: given } = toObject(call["function"]);
    run.call({ tool: textIn(name), input: readArguments(given), ...defined({ call: nameIn(call["id"]) }) });
  }
}

/** Text parts only: content may hold a provider's own tool blocks as well. */
function listOfText(content: unknown): unknown {
  return Array.isArray(content)
    ? content.filter((part: unknown) => typeof part === "string" || toObject(part)["type"] === "text")
    : content;
}

function detect({ layout, values }: Sample): FormatMatch | undefined {
  const [first] = values;
  const isOurs = (list: unknown): boolean => {
    const types = objectsIn(list).map((value) => readMessage(value)?.type);
    return mostly(types, (type) => type !== undefined) && types.some((type) => type === "human" || type === "ai");
  };
  if (layout === "lines") return isOurs(values) ? { certainty: 0.9 } : undefined;
  if (isOurs(first)) return { certainty: 0.9, split: ["*"] };
  const { messages } = toObject(first);
  return isOurs(messages) ? { certainty: 0.9, split: ["messages.*"] } : undefined;
}
