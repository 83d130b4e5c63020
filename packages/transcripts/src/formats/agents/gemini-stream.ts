import { defined, type LooseObject, nameIn, textIn, toObject } from "@phasekit/core/adapter";
import { timeIn } from "../../parse/loose-json.ts";
import { todosOf } from "../../write/todos.ts";
import type { TranslationContext, Translator } from "../../transcript-format.ts";

/** True for a line of `gemini --output-format stream-json`. */
export function isStreamLine(value: unknown): boolean {
  const { type, session_id: session, tool_id: tool, timestamp } = toObject(value);
  return (
    typeof timestamp === "string" &&
    ((type === "init" && typeof session === "string") || (type === "tool_use" && typeof tool === "string"))
  );
}

/** The events that `gemini --output-format stream-json` prints: answers in pieces, calls, results, and the end. */
export function translateStream({ runs, skip, unknown }: TranslationContext): Translator {
  const run = runs.open({ agent: "Gemini CLI" });
  let answers = 0;
  let isAnswering = false;

  function answer(at: number | undefined): void {
    if (!isAnswering) answers += 1;
    isAnswering = true;
    run.answer({ id: String(answers), ...defined({ at }) });
  }

  function result(line: LooseObject, at: number | undefined): void {
    isAnswering = false;
    const { status, output, error } = line;
    const failed = status === "error" || error !== undefined;
    run.result({
      output: output ?? toObject(error)["message"] ?? "",
      ...defined({ call: nameIn(line["tool_id"]), at, outcome: failed ? ("error" as const) : undefined }),
    });
  }

  function failure(line: LooseObject, at: number | undefined): void {
    const error = toObject(line["error"]);
    const message = nameIn(error["message"]) ?? nameIn(line["message"]);
    run.record({ type: "model.failed", ...defined({ at, message, code: nameIn(error["type"]) }) });
  }

  return {
    take: ({ value }) => {
      const line = toObject(value);
      const at = timeIn(line["timestamp"]);
      switch (line["type"]) {
        case "init":
          run.rename(nameIn(line["session_id"]) ?? run.id);
          return run.describe(defined({ model: nameIn(line["model"]), startedAt: at }));
        case "message":
          if (line["role"] === "user") {
            isAnswering = false;
            return run.user(textIn(line["content"]), defined({ at }));
          }
          answer(at);
          return run.text(textIn(line["content"]));
        case "tool_use": {
          const tool = textIn(line["tool_name"]);
          answer(at);
          run.call({ tool, input: line["parameters"], ...defined({ call: nameIn(line["tool_id"]), at }) });
          const todos = todosOf(tool, line["parameters"]);
          return todos === undefined ? undefined : run.record({ ...todos, ...defined({ at }) });
        }
        case "tool_result":
          return result(line, at);
        case "error":
          return line["severity"] === "warning" ? skip("warning") : failure(line, at);
        case "result":
          // Its tokens are those of the whole run. Without an answer after the last result, the answer was empty.
          if (line["status"] === "error") return failure(line, at);
          return isAnswering ? skip("result") : answer(at);
        default:
          unknown(textIn(line["type"]) === "" ? "line without a type" : textIn(line["type"]));
      }
    },
  };
}
