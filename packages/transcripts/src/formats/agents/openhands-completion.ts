import { defined, knownUsage, type LooseObject, nameIn, toObject } from "@phasekit/core/adapter";
import { contentText, objectsIn } from "../../parse/loose-json.ts";
import type { RunWriter } from "../../write/run-writer.ts";
import type { TranscriptFormat, TranslationContext, Translator } from "../../transcript-format.ts";
import { chatMessage } from "../messages/openai-messages.ts";

/** A logged model call of OpenHands: messages and response. Models without tool support write calls as text. */
export const openhandsCompletion: TranscriptFormat = {
  name: "openhands-completion",
  title: "OpenHands model calls",
  detect: ({ values: [first] }) => {
    const document = toObject(first);
    const messages = objectsIn(document["messages"]);
    const isLogged = "kwargs" in document && "response" in document;
    const writesCalls =
      messages.some(({ role, content }) => role === "assistant" && CALL.test(contentText(content))) &&
      messages.some(({ role, content }) => role === "user" && RESULT.test(contentText(content)));
    return messages.length > 0 && (isLogged || writesCalls)
      ? { certainty: isLogged || writesCalls ? 0.9 : 0, split: ["messages.*"] }
      : undefined;
  },
  translate,
};

const CALL = /<function=([\w-]+)>([\s\S]*?)(?:<\/function>|$)/;
/** Models without tools get an example first. */
const TASK = /^[\s\S]*-{5,} NEW TASK DESCRIPTION -{5,}\n/;
const RESULT = /^EXECUTION RESULT of \[([^\]]*)\]:\n?/;

function translate({ runs, skip, unknown }: TranslationContext): Translator {
  const run = runs.open({ agent: "OpenHands" });
  let count = 0;

  function assistant(writer: RunWriter, message: LooseObject, notes: Parameters<RunWriter["answer"]>[0] = {}): void {
    const text = contentText(message["content"]);
    const calls = objectsIn(message["tool_calls"]);
    if (calls.some((call) => toObject(call["function"])["name"] === "finish")) {
      writer.answer({ id: String(count), ...notes });
      writer.text(text);
      return writer.finish(text === "" ? "finish" : text);
    }
    const found = calls.length > 0 ? null : CALL.exec(text);
    if (found === null)
      return chatMessage(writer, { role: "assistant", ...message }, { id: String(count), skip, unknown, notes });
    writer.answer({ id: String(count), ...notes });
    writer.text(text.slice(0, found.index).trimEnd());
    const tool = found[1] ?? "";
    const input = Object.fromEntries(
      [...(found[2] ?? "").matchAll(/<parameter=([\w-]+)>([\s\S]*?)<\/parameter>/g)].map(
        ([, name = "", value = ""]) => [name, value.replace(/^\n|\n$/g, "")],
      ),
    );
    if (tool === "finish") writer.finish(text.slice(0, found.index).trim() || "finish");
    else writer.call({ tool, input });
  }

  return {
    take: ({ path, value }) => {
      const [first] = path;
      const message = toObject(value);
      if (first === "messages") {
        count += 1;
        const text = contentText(message["content"]);
        const result = message["role"] === "user" ? RESULT.exec(text) : null;
        if (result !== null) {
          const output = text.slice(result[0].length);
          run.result({
            output,
            outcome: /^ERROR:/.test(output) ? "error" : "ok",
            ...defined({ tool: nameIn(result[1]) }),
          });
        } else if (message["role"] === "assistant") assistant(run, message);
        else if (message["role"] === "user" && TASK.test(text)) run.user(text.replace(TASK, ""));
        else chatMessage(run, message, { id: String(count), skip, unknown });
      } else if (first === "response") {
        const [choice = {}] = objectsIn(message["choices"]);
        count += 1;
        assistant(
          run,
          toObject(choice["message"]),
          defined({ usage: knownUsage(message["usage"], "chat"), model: nameIn(message["model"]) }),
        );
      } else skip(String(first));
    },
  };
}
