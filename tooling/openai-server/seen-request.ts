import type { Json, RecordedRequest } from "./protocol.ts";

/** One message in no provider's form. */
export interface SeenMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
  /** The names of the tools an assistant calls. */
  readonly calls?: readonly string[];
}

/** A request to the model, independent of the provider. */
export interface SeenRequest {
  readonly model: string;
  readonly messages: readonly SeenMessage[];
  readonly tools: readonly string[];
  /** "auto", "none", "required" or "allowed: a, b". */
  readonly toolChoice: string;
}

/** A recorded request in no provider's form. */
export function seenRequest({ api, body, history }: RecordedRequest): SeenRequest {
  const tools = ((body["tools"] ?? []) as readonly Json[]).map((tool) =>
    String((tool["function"] as Json | undefined)?.["name"] ?? tool["name"]),
  );
  return {
    model: String(body["model"]),
    messages: api === "chat" ? (body["messages"] as readonly Json[]).map(fromChat) : fromItems(history),
    tools,
    toolChoice: choiceOf(body["tool_choice"]),
  };
}

function choiceOf(choice: unknown): string {
  if (choice === undefined || choice === null) return "auto";
  if (typeof choice === "string") return choice;
  const { allowed_tools: nested, tools } = choice as { readonly allowed_tools?: Json; readonly tools?: unknown };
  const list = (nested?.["tools"] ?? tools ?? []) as readonly Json[];
  return `allowed: ${list.map((tool) => String((tool["function"] as Json | undefined)?.["name"] ?? tool["name"])).join(", ")}`;
}

function fromChat(message: Json): SeenMessage {
  const calls = message["tool_calls"] as readonly { readonly function: { readonly name: string } }[] | undefined;
  const role = message["role"] === "developer" ? "system" : (message["role"] as SeenMessage["role"]);
  return {
    role,
    text: textOf(message["content"]),
    ...(calls !== undefined && { calls: calls.map(({ function: { name } }) => name) }),
  };
}

/** Items of one answer belong to one assistant message. */
function fromItems(items: readonly Json[]): readonly SeenMessage[] {
  const messages: { role: SeenMessage["role"]; text: string; calls?: string[] }[] = [];
  for (const item of items) {
    if (item["type"] === "reasoning") continue;
    const last = messages.at(-1);
    if (item["type"] === "function_call") {
      const name = String(item["name"]);
      if (last?.role === "assistant") last.calls = [...(last.calls ?? []), name];
      else messages.push({ role: "assistant", text: "", calls: [name] });
    } else if (item["type"] === "function_call_output") messages.push({ role: "tool", text: textOf(item["output"]) });
    else
      messages.push({
        role: item["role"] === "developer" ? "system" : (item["role"] as SeenMessage["role"]),
        text: textOf(item["content"]),
      });
  }
  return messages;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return (content as readonly Json[]).map(({ text }) => (typeof text === "string" ? text : "")).join("");
}
