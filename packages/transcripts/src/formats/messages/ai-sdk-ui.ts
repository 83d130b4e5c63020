import { defined, type LooseObject, nameIn, numberIn, textIn, toObject } from "@phasekit/core/adapter";
import { objectsIn } from "../../parse/loose-json.ts";
import { mostly } from "../../parse/mostly.ts";
import type { RunWriter } from "../../write/run-writer.ts";
import type { Sample } from "../../parse/sample.ts";
import type { FormatMatch, TranscriptFormat } from "../../transcript-format.ts";

/** UI messages of the Vercel AI SDK, as chats store them: one message may hold several steps. */
export const aiSdkUi: TranscriptFormat = {
  name: "ai-sdk-ui",
  title: "AI SDK UI messages",
  detect,
  translate: ({ runs, skip, unknown }) => {
    const run = runs.open();
    let answers = 0;

    function assistant(message: LooseObject): void {
      let isOpen = false;
      const answer = (): void => {
        if (!isOpen) answers += 1;
        isOpen = true;
        run.answer({ id: String(answers) });
      };
      for (const part of objectsIn(message["parts"])) {
        const type = textIn(part["type"]);
        if (type === "step-start") isOpen = false;
        else if (type === "text") {
          answer();
          run.text(textIn(part["text"]));
        } else if (type === "reasoning") {
          answer();
          run.reasoning(textIn(part["text"]));
        } else if (type === "dynamic-tool" || type.startsWith("tool-")) {
          answer();
          toolPart(run, part, type);
        } else if (!SILENT.test(type)) unknown(`part ${type}`);
      }
    }

    return {
      take: ({ path, value }) => {
        const message = toObject(value);
        if (typeof path.at(-1) === "string") return skip(String(path.at(-1)));
        if (message["role"] === "user")
          run.user(
            objectsIn(message["parts"])
              .map(({ text }) => textIn(text))
              .join(""),
          );
        else if (message["role"] === "assistant") assistant(message);
        else skip(`${textIn(message["role"])} message`);
      },
    };
  },
};

const SILENT = /^(?:file|source-url|source-document|source|data-.*|step-finish)$/;

function toolPart(run: RunWriter, part: LooseObject, type: string): void {
  const { state, input, output, errorText, providerExecuted } = part;
  if (providerExecuted === true) return;
  const call = nameIn(part["toolCallId"]);
  run.call({
    tool: nameIn(part["toolName"]) ?? type.slice("tool-".length),
    input: input ?? part["rawInput"],
    ...defined({ call }),
  });
  if (state === "output-available")
    run.result({
      output,
      ...defined({ call, exitCode: numberIn(toObject(output)["exitCode"]) }),
      ...(toObject(output)["isError"] === true && { outcome: "error" as const }),
    });
  else if (state === "output-error") run.result({ output: errorText, outcome: "error", ...defined({ call }) });
  else if (state === "output-denied")
    run.result({ output: toObject(part["approval"])["reason"], outcome: "denied", ...defined({ call }) });
}

function detect({ layout, values }: Sample): FormatMatch | undefined {
  const [first] = values;
  const isOurs = (list: unknown): boolean => {
    const messages = objectsIn(list);
    return (
      mostly(
        messages,
        ({ role, parts }) => (role === "user" || role === "assistant" || role === "system") && Array.isArray(parts),
      ) && messages.some(({ parts }) => objectsIn(parts).some(({ type }) => typeof type === "string"))
    );
  };
  if (layout === "lines") return isOurs(values) ? { certainty: 0.9 } : undefined;
  if (isOurs(first)) return { certainty: 0.9, split: ["*"] };
  return isOurs(toObject(first)["messages"]) ? { certainty: 0.9, split: ["messages.*"] } : undefined;
}
