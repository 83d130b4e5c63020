import { defined, type LooseObject, nameIn, textIn } from "@phasekit/core/adapter";
import { contentText, objectsIn } from "../../parse/loose-json.ts";
import type { RunWriter } from "../../write/run-writer.ts";
import { todosOf } from "../../write/todos.ts";

interface ContentContext {
  readonly at?: number | undefined;
  readonly skip: (kind: string) => void;
  readonly unknown: (kind: string) => void;
  /** More about a result than its block says. */
  readonly aboutResult?: (text: string, block: LooseObject) => Partial<Parameters<RunWriter["result"]>[0]>;
  /** The agent's own todo tools count as lists of todos. @default false */
  readonly todos?: boolean;
}

const SILENT: ReadonlySet<unknown> = new Set([
  "image",
  "document",
  "server_tool_use",
  "web_search_tool_result",
  "code_execution_tool_result",
  "container_upload",
  "fallback",
]);

/** Writes the blocks of an Anthropic assistant message into the answer at hand. */
export function answerBlocks(
  run: RunWriter,
  content: unknown,
  { at, skip, unknown, todos = false }: ContentContext,
): void {
  if (typeof content === "string") run.text(content);
  for (const block of objectsIn(content)) {
    const { type, name, input } = block;
    if (type === "text") run.text(textIn(block["text"]));
    else if (type === "thinking" || type === "redacted_thinking") run.reasoning(textIn(block["thinking"]));
    else if (type === "tool_use" || type === "mcp_tool_use") {
      run.call({ tool: textIn(name), input, ...defined({ call: nameIn(block["id"]), at }) });
      const list = todos ? todosOf(textIn(name), input) : undefined;
      if (list !== undefined) run.record({ ...list, ...defined({ at }) });
    } else if (!SILENT.has(type)) unknown(`block ${textIn(type)}`);
    else if (objectsIn(content).length === 1) skip(`block ${textIn(type)}`);
  }
}

/** Writes the results of an Anthropic user message, and gives the texts beside them. */
export function resultBlocks(
  run: RunWriter,
  content: unknown,
  { at, unknown, aboutResult }: ContentContext,
): readonly string[] {
  if (typeof content === "string") return [content];
  const texts: string[] = [];
  for (const block of objectsIn(content)) {
    const { type, content: inner, is_error: isError } = block;
    if (type === "tool_result" || type === "mcp_tool_result") {
      const text = contentText(inner);
      const output = text === "" && Array.isArray(inner) && inner.length > 0 ? inner : text;
      run.result({
        output,
        outcome: isError === true ? "error" : "ok",
        ...defined({ call: nameIn(block["tool_use_id"]), at }),
        ...aboutResult?.(text, block),
      });
    } else if (type === "text") texts.push(textIn(block["text"]));
    else if (!SILENT.has(type)) unknown(`block ${textIn(type)}`);
  }
  return texts;
}
