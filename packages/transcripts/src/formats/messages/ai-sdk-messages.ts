import { defined, isObject, type LooseObject, nameIn, numberIn, textIn, toObject } from "@phasekit/core/adapter";
import { contentText, objectsIn, readArguments } from "../../parse/loose-json.ts";
import { mostly } from "../../parse/mostly.ts";
import type { RunWriter } from "../../write/run-writer.ts";
import type { Sample } from "../../parse/sample.ts";
import type { FormatMatch, TranscriptFormat } from "../../transcript-format.ts";

/** Model messages of the Vercel AI SDK, of its majors 4 to 7: what `response.messages` holds and `messages` takes. */
export const aiSdkMessages: TranscriptFormat = {
  name: "ai-sdk-messages",
  title: "AI SDK messages",
  detect,
  translate: ({ runs, skip, unknown }) => {
    const run = runs.open();
    let answers = 0;
    return {
      take: ({ path, value }) => {
        if (typeof path.at(-1) === "string") return skip(String(path.at(-1)));
        const { role, content } = toObject(value);
        if (role === "system") return skip("system message");
        if (role === "user") return run.user(contentText(content));
        if (role === "assistant") {
          answers += 1;
          run.answer({ id: String(answers) });
        }
        if (role !== "assistant" && role !== "tool") return unknown(`role ${textIn(role)}`);
        if (typeof content === "string") run.text(content);
        for (const part of objectsIn(content)) writePart(run, part, { skip, unknown });
      },
    };
  },
};

const SILENT: ReadonlySet<unknown> = new Set([
  "redacted-reasoning",
  "file",
  "image",
  "source",
  "tool-approval-request",
  "custom",
  "reasoning-file",
]);

function writePart(
  run: RunWriter,
  part: LooseObject,
  { skip, unknown }: { readonly skip: (kind: string) => void; readonly unknown: (kind: string) => void },
): void {
  const { type, toolCallId, toolName, providerExecuted } = part;
  const call = nameIn(toolCallId);
  if (type === "text") run.text(textIn(part["text"]));
  else if (type === "reasoning") run.reasoning(textIn(part["text"]));
  else if (type === "tool-call") {
    // The host does not make calls the provider executes.
    if (providerExecuted !== true)
      run.call({ tool: textIn(toolName), input: readArguments(part["input"] ?? part["args"]), ...defined({ call }) });
  } else if (type === "tool-result") {
    if (call === undefined || run.isOpen(call))
      run.result({ ...readOutput(part), ...defined({ call, tool: nameIn(toolName) }) });
    else skip("result of the provider");
  } else if (type === "tool-approval-response") {
    // Newer majors repeat a denial as the result; older ones have only this part.
    skip("tool-approval-response");
  } else if (!SILENT.has(type)) unknown(`part ${textIn(type)}`);
}

/** The output of a result part: tagged since major 5, plain before. */
function readOutput(part: LooseObject): {
  readonly output: unknown;
  readonly outcome: "ok" | "error" | "denied";
  readonly exitCode?: number;
} {
  const tagged = toObject(part["output"]);
  const { type, value, reason } = tagged;
  const isTagged =
    isObject(part["output"]) && typeof type === "string" && ("value" in tagged || type === "execution-denied");
  // The newest major writes the kind of the error before its message.
  const text = type === "error-text" && typeof value === "string" ? value.replace(/^Error: /, "") : value;
  const output = isTagged ? (type === "execution-denied" ? reason : text) : (part["output"] ?? part["result"]);
  const failed =
    type === "error-text" || type === "error-json" || part["isError"] === true || toObject(output)["isError"] === true;
  return {
    output,
    outcome:
      isTagged && type === "execution-denied"
        ? "denied"
        : (isTagged || part["isError"] === true) && failed
          ? "error"
          : "ok",
    ...defined({ exitCode: numberIn(toObject(output)["exitCode"]) }),
  };
}

function detect({ layout, values }: Sample): FormatMatch | undefined {
  const [first] = values;
  const isOurs = (list: unknown): boolean => {
    const messages = objectsIn(list);
    return (
      mostly(messages, ({ role }) => typeof role === "string") &&
      messages.some(({ content }) =>
        objectsIn(content).some(
          ({ type, toolCallId }) => (type === "tool-call" || type === "tool-result") && toolCallId !== undefined,
        ),
      )
    );
  };
  if (layout === "lines") return isOurs(values) ? { certainty: 0.9 } : undefined;
  if (isOurs(first)) return { certainty: 0.9, split: ["*"] };
  const { messages, responseMessages } = toObject(first);
  return isOurs(messages)
    ? { certainty: 0.9, split: ["messages.*"] }
    : isOurs(responseMessages)
      ? { certainty: 0.9, split: ["responseMessages.*"] }
      : undefined;
}
