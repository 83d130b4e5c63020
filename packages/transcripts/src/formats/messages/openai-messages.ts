import { defined, isObject, knownUsage, type LooseObject, nameIn, textIn, toObject } from "@phasekit/core/adapter";
import { contentText, objectsIn, readArguments, readResult } from "../../parse/loose-json.ts";
import { mostly } from "../../parse/mostly.ts";
import type { RunWriter } from "../../write/run-writer.ts";
import type { Sample } from "../../parse/sample.ts";
import type { FormatMatch, TranscriptFormat } from "../../transcript-format.ts";

const ROLES: ReadonlySet<unknown> = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

/** The messages of chat completions: a list, lines, or a request or response that holds them. */
export const openaiMessages: TranscriptFormat = {
  name: "openai-messages",
  title: "OpenAI chat messages",
  detect,
  translate: ({ runs, variant, skip, unknown }) => {
    let run = runs.open();
    let count = 0;
    let line: unknown = 0;
    return {
      take: ({ path: given, value }) => {
        // In a file of conversations every line is a run.
        const path = variant === "conversations" ? given.slice(1) : given;
        if (variant === "conversations" && given[0] !== line) {
          run.end();
          run = runs.open();
          line = given[0];
        }
        const [first] = path;
        const message = toObject(value);
        if (typeof path.at(-1) === "number" && !isCompletion(message)) {
          count += 1;
          chatMessage(run, message, { id: `message ${String(count)}`, skip, unknown });
        } else if (first === "choices" || isCompletion(message))
          completion(run, first === "choices" ? { choices: [message] } : message);
        else if (first === "response") completion(run, message);
        else if (first === "usage" && run.amend(defined({ usage: knownUsage(message, "chat") }))) return;
        else if (first === "model") run.describe(defined({ model: nameIn(value) }));
        else skip(String(first));
      },
    };

    function completion(writer: RunWriter, { choices, usage, model }: LooseObject): void {
      const [choice = {}] = objectsIn(choices);
      count += 1;
      const finishReason = nameIn(choice["finish_reason"]);
      chatMessage(
        writer,
        { role: "assistant", ...toObject(choice["message"]) },
        {
          id: `message ${String(count)}`,
          skip,
          unknown,
          notes: defined({ usage: knownUsage(usage, "chat"), model: nameIn(model), finishReason }),
        },
      );
    }
  },
};

interface MessageContext {
  readonly id: string;
  readonly skip: (kind: string) => void;
  readonly unknown: (kind: string) => void;
  /** Notes on a message from the request around it. */
  readonly notes?: Parameters<RunWriter["answer"]>[0];
  /** How an answer's text holds calls, for agents that write them into it. */
  readonly at?: number;
}

/** Writes one chat message. */
export function chatMessage(
  run: RunWriter,
  message: LooseObject,
  { id, skip, unknown, notes = {}, at }: MessageContext,
): void {
  const { role, content, tool_calls: toolCalls, function_call: oldCall } = message;
  switch (role) {
    case "system":
    case "developer":
      skip(`${role} message`);
      return;
    case "user":
      run.user(contentText(content), defined({ at, from: nameIn(message["name"]) }));
      return;
    case "assistant":
      run.answer({
        id,
        ...defined({
          at,
          agent: nameIn(message["name"]),
          usage: knownUsage(message["usage"], "chat"),
          model: nameIn(message["model"]),
        }),
        ...notes,
      });
      writeReasoning(run, message["reasoning_content"] ?? message["reasoning"]);
      run.text(contentText(content) + textIn(message["refusal"]));
      for (const call of objectsIn(toolCalls)) {
        const { name, arguments: given, input } = toObject(call["function"] ?? call["custom"]);
        run.call({
          tool: textIn(name),
          input: readArguments(given ?? input),
          ...defined({ call: nameIn(call["id"]), at }),
        });
      }
      if (isObject(oldCall))
        run.call({ tool: textIn(oldCall["name"]), input: readArguments(oldCall["arguments"]), ...defined({ at }) });
      return;
    case "tool":
    case "function":
      run.result({
        ...textResult(contentText(content)),
        ...defined({ call: nameIn(message["tool_call_id"]), tool: nameIn(message["name"]), at }),
      });
      return;
    default:
      unknown(`role ${textIn(role)}`);
  }
}

/** A result that is only a text: JSON is read, and what begins with "Error" failed; the API has no other sign of it. */
export function textResult(text: string): {
  readonly output: unknown;
  readonly outcome: "ok" | "error";
  readonly exitCode?: number;
} {
  const output = readResult(text);
  const { exitCode, isError, error } = toObject(output);
  const saidError = /^Error: ([\s\S]*)$/.exec(text);
  const failed =
    saidError !== null ||
    text.startsWith("ERROR:") ||
    isError === true ||
    (error !== undefined && error !== null && error !== false);
  return {
    output: saidError === null ? output : saidError[1],
    outcome: failed ? "error" : "ok",
    ...(typeof exitCode === "number" && { exitCode }),
  };
}

function isCompletion(value: LooseObject): boolean {
  return Array.isArray(value["choices"]);
}

function isChat(list: unknown): boolean {
  return mostly(
    objectsIn(list),
    ({ role, content, tool_calls: calls }) =>
      ROLES.has(role) &&
      (typeof content === "string" ||
        content === null ||
        content === undefined ||
        isChatContent(content) ||
        Array.isArray(calls)),
  );
}

function isChatContent(content: unknown): boolean {
  return (
    Array.isArray(content) &&
    objectsIn(content).every(
      ({ type }) =>
        type === "text" || type === "image_url" || type === "input_audio" || type === "file" || type === "refusal",
    )
  );
}

function detect({ layout, values }: Sample): FormatMatch | undefined {
  const [first] = values;
  const isOurs = (messages: unknown): number =>
    isChat(messages)
      ? objectsIn(messages).some(({ role, tool_calls: calls }) => role === "tool" || Array.isArray(calls))
        ? 0.7
        : 0.5
      : 0;
  if (layout === "lines" && isOurs(toObject(first)["messages"]) > 0)
    return { certainty: 0.6, split: ["*.messages.*"], variant: "conversations" };
  if (layout === "lines") return isOurs(values) > 0 ? { certainty: isOurs(values) } : undefined;
  if (Array.isArray(first)) return isOurs(first) > 0 ? { certainty: isOurs(first), split: ["*"] } : undefined;
  const { messages } = toObject(first);
  if (Array.isArray(messages))
    return isOurs(messages) > 0 ? { certainty: isOurs(messages), split: ["messages.*"] } : undefined;
  return isCompletion(toObject(first)) && toObject(first)["object"] === "chat.completion"
    ? { certainty: 0.6 }
    : undefined;
}

/** Providers that show reasoning do so in a member of their own. */
function writeReasoning(run: RunWriter, reasoning: unknown): void {
  if (typeof reasoning === "string" && reasoning !== "") run.reasoning(reasoning);
}
