import { defined, isObject, knownUsage, type LooseObject, nameIn, textIn, toObject } from "@phasekit/core/adapter";
import { contentText, objectsIn, readArguments } from "../../parse/loose-json.ts";
import { mostly } from "../../parse/mostly.ts";
import type { Sample } from "../../parse/sample.ts";
import type { FormatMatch, TranscriptFormat, TranslationContext, Translator } from "../../transcript-format.ts";
import { textResult } from "./openai-messages.ts";

const ITEMS: ReadonlySet<unknown> = new Set([
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "reasoning",
]);

/** Items of the OpenAI Responses API: a list, lines, a request that holds them as `input`, or a response. */
export const openaiResponses: TranscriptFormat = {
  name: "openai-responses",
  title: "OpenAI Responses items",
  detect,
  translate,
};

function translate({ runs, skip, unknown }: TranslationContext): Translator {
  const run = runs.open();
  let answers = 0;
  let answering = false;

  /** Adjacent output items are one answer. */
  function answer(notes: { readonly model?: string } = {}): void {
    if (!answering) answers += 1;
    answering = true;
    run.answer({ id: String(answers), ...notes });
  }

  function item(value: LooseObject): void {
    const { type, role, content, call_id: call, name } = value;
    if (type === "function_call" || type === "custom_tool_call") {
      answer();
      run.call({
        tool: textIn(name),
        input: readArguments(value["arguments"] ?? value["input"]),
        ...defined({ call: nameIn(call) }),
      });
    } else if (type === "function_call_output" || type === "custom_tool_call_output") {
      answering = false;
      run.result({ ...textResult(contentText(value["output"])), ...defined({ call: nameIn(call) }) });
    } else if (type === "reasoning") {
      answer();
      run.reasoning([value["summary"], value["content"]].map(contentText).filter(Boolean).join("\n"));
    } else if (role === "assistant") {
      answer();
      run.text(contentText(content));
    } else if (role === "user") {
      answering = false;
      run.user(contentText(content));
    } else if (role === "system" || role === "developer") skip(`${role} message`);
    else if (typeof type === "string" && /_call(?:_output)?$/.test(type)) skip(type);
    else if (type === "item_reference" || type === "compaction") skip(type);
    else unknown(`item ${textIn(type)}`);
  }

  function response(value: LooseObject): void {
    answering = false;
    const model = nameIn(value["model"]);
    if (value["status"] === "failed") {
      const { code, message } = toObject(value["error"]);
      return run.record({
        type: "model.failed",
        inBody: true,
        ...defined({ model, code: nameIn(code), message: nameIn(message) }),
      });
    }
    answer(defined({ model }));
    for (const output of objectsIn(value["output"])) item(output);
    const finishReason = nameIn(toObject(value["incomplete_details"])["reason"]);
    run.amend(defined({ usage: knownUsage(value["usage"], "responses"), finishReason }));
    answering = false;
  }

  return {
    take: ({ path, value }) => {
      const last = path.at(-1);
      if (typeof last === "number" || path.length === 0) {
        const object = toObject(value);
        if (object["object"] === "response" || Array.isArray(object["output"])) response(object);
        else item(object);
      } else if (last === "model") run.describe(defined({ model: nameIn(value) }));
      else if (last === "input" && typeof value === "string") run.user(value);
      else if (last === "usage" && isObject(value)) {
        if (!run.amend(defined({ usage: knownUsage(value, "responses") }))) skip("usage");
      } else if (path[0] === "response") response(toObject(value));
      else skip(String(last));
    },
  };
}

function detect({ layout, values }: Sample): FormatMatch | undefined {
  const [first] = values;
  const isOurs = (list: unknown): boolean => {
    const items = objectsIn(list);
    const fits = mostly(
      items,
      ({ type, role }) =>
        ITEMS.has(type) ||
        type === "message" ||
        typeof role === "string" ||
        (typeof type === "string" && type.endsWith("_call")),
    );
    return (
      fits &&
      items.some(
        ({ type, content }) =>
          ITEMS.has(type) || (type === "message" && objectsIn(content).some((part) => part["type"] === "output_text")),
      )
    );
  };
  if (layout === "lines")
    return isOurs(values)
      ? { certainty: 0.8 }
      : values.every((value) => toObject(value)["object"] === "response")
        ? { certainty: 0.9 }
        : undefined;
  if (isOurs(first)) return { certainty: 0.8, split: ["*"] };
  const { input, output, object } = toObject(first);
  if (object === "response" && Array.isArray(output)) return { certainty: 0.9 };
  return isOurs(input) ? { certainty: 0.8, split: ["input.*"] } : undefined;
}
