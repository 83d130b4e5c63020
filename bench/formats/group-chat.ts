import { type LooseObject, nameIn, textIn, toObject } from "@phasekit/core/adapter";
import { mostly } from "../../packages/transcripts/src/parse/mostly.ts";
import type { TranscriptFormat, TranslationContext, Translator } from "@phasekit/transcripts";
import { contentText, objectsIn } from "../../packages/transcripts/src/parse/loose-json.ts";

/** Conversations of agents among themselves (AutoGen, Magentic-One): the speaker is in the name or the role. */
export const groupChat: TranscriptFormat = {
  name: "group-chat",
  title: "Agent group chat",
  detect,
  translate,
};

const CODE = /```(?:python|sh|bash|shell)[^\n]*\n([\s\S]*?)```/;
const TERMINAL = /^Computer_?terminal$|^code_executor/i;
const EXECUTED = /^exitcode: (-?\d+) \(([^)]*)\)\s*(?:Code output: ?)?/;

function translate({ runs, skip }: TranslationContext): Translator {
  const run = runs.open({ finishes: "last" });
  let count = 0;
  /** The last message had code for a terminal to run. */
  let code: string | undefined;
  let judged: { readonly success: boolean; readonly by: string } | undefined;

  function message(value: LooseObject): void {
    const { role, name } = value;
    const speaker = nameIn(name) ?? textIn(role);
    const text = contentText(value["content"]);
    count += 1;
    if (TERMINAL.test(speaker)) return terminal(text);
    if (role === "human" || (role === "user" && name === undefined)) return run.user(text);
    const agent = speaker.replace(/ \((?:thought|->.*|termination condition)\)$/, "");
    run.answer({ id: String(count), agent });
    run.text(text);
    code = CODE.exec(text)?.[1];
  }

  function terminal(text: string): void {
    const executed = EXECUTED.exec(text);
    if (executed === null) return skip("terminal without code");
    run.call({ tool: "execute_code", input: { code: code ?? "" } });
    run.result({ output: text.slice(executed[0].length), exitCode: Number(executed[1]) });
    code = undefined;
  }

  return {
    take: ({ path, value }) => {
      const [first] = path;
      if (typeof path.at(-1) === "number") return message(toObject(value));
      if (first === "question") run.user(textIn(value));
      else if (first === "question_ID") run.describe({ task: { id: textIn(value) } });
      else if ((first === "is_correct" || first === "is_corrected") && typeof value === "boolean")
        judged = { success: value, by: "ground truth" };
      skip(String(first));
    },
    end: () => {
      if (judged !== undefined) run.end({ judged });
    },
  };
}

function detect({ layout, values }: Parameters<TranscriptFormat["detect"]>[0]): ReturnType<TranscriptFormat["detect"]> {
  const [first] = values;
  const isOurs = (list: unknown): boolean => {
    const messages = objectsIn(list);
    const named = messages.filter(
      ({ role, name }) =>
        (typeof name === "string" && (role === "user" || role === "assistant")) ||
        (typeof role === "string" && /^[A-Z]\w*(?: \(.*\))?$/.test(role)),
    );
    return (
      mostly(messages, ({ role, content }) => typeof role === "string" && content !== undefined) &&
      named.length * 2 > messages.length &&
      !messages.some(({ tool_calls: calls }) => calls !== undefined)
    );
  };
  if (layout === "lines") return isOurs(values) ? { certainty: 0.75 } : undefined;
  if (isOurs(first)) return { certainty: 0.75, split: ["*"] };
  return isOurs(toObject(first)["history"])
    ? { certainty: 0.75, split: ["history.*"], first: ["question", "question_ID"] }
    : undefined;
}
