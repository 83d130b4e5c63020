import { defined, nameIn, textIn, toObject } from "@phasekit/core/adapter";
import { contentText, objectsIn } from "../../parse/loose-json.ts";
import { mostly } from "../../parse/mostly.ts";
import type { TranscriptFormat } from "../../transcript-format.ts";

const SETUP = /^\s*(?:<session_context>|This is the Gemini CLI\. We are setting up the context)/;

/** Contents of the Gemini API: a list, or a saved chat or request that holds them. */
export const geminiContents: TranscriptFormat = {
  name: "gemini-contents",
  title: "Gemini API contents",
  detect: ({ layout, values }) => {
    const [first] = values;
    const { contents, history } = toObject(first);
    const isOurs = (list: unknown): boolean =>
      mostly(
        objectsIn(list),
        ({ role, parts }) => (role === "user" || role === "model" || role === undefined) && Array.isArray(parts),
      ) && objectsIn(list).some(({ role }) => role === "model" || role === "user");
    if (layout === "lines") return isOurs(values) ? { certainty: 0.9 } : undefined;
    if (isOurs(first)) return { certainty: 0.9, split: ["*"] };
    return isOurs(contents)
      ? { certainty: 0.9, split: ["contents.*"] }
      : isOurs(history)
        ? { certainty: 0.9, split: ["history.*"] }
        : undefined;
  },
  translate: ({ runs, skip, unknown }) => {
    const run = runs.open();
    let answers = 0;
    /** The tool's own first exchange with the model, which is not part of the work. */
    let settingUp = false;
    return {
      take: ({ path, value }) => {
        const { role, parts } = toObject(value);
        const list = objectsIn(parts);
        if (typeof path.at(-1) === "string") return skip(String(path.at(-1)));
        const texts = list.filter(({ thought, text }) => thought !== true && typeof text === "string");
        const text = contentText(texts);
        if (role === "model") {
          if (settingUp && list.every(({ functionCall }) => functionCall === undefined) && text.length < 100)
            return skip("set-up message");
          settingUp = false;
          answers += 1;
          run.answer({ id: String(answers) });
          for (const { thought, text: thoughts } of list) if (thought === true) run.reasoning(textIn(thoughts));
          run.text(text);
        }
        for (const part of list) {
          const call = toObject(part["functionCall"]);
          const response = toObject(part["functionResponse"]);
          if (part["functionCall"] !== undefined)
            run.call({ tool: textIn(call["name"]), input: call["args"], ...defined({ call: nameIn(call["id"]) }) });
          else if (part["functionResponse"] !== undefined) {
            const { output, error } = toObject(response["response"]);
            const exitCode = /^Exit Code: (-?\d+)$/m.exec(textIn(output))?.[1];
            run.result({
              output: error ?? output ?? response["response"],
              outcome: error === undefined ? "ok" : "error",
              ...defined({
                call: nameIn(response["id"]),
                tool: nameIn(response["name"]),
                exitCode: exitCode === undefined ? undefined : Number(exitCode),
              }),
            });
          } else if (!(
            "text" in part ||
            "inlineData" in part ||
            "fileData" in part ||
            "thought" in part ||
            "thoughtSignature" in part
          ))
            unknown(`part ${Object.keys(part).join(" ")}`);
        }
        if (role === "user" && text !== "") {
          settingUp = SETUP.test(text);
          if (settingUp) skip("set-up message");
          else run.user(text);
        }
      },
    };
  },
};
