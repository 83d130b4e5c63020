import type { Reason } from "@phasekit/core";
import {
  defined,
  isObject,
  knownUsage,
  type LooseObject,
  nameIn,
  numberIn,
  textIn,
  toObject,
} from "@phasekit/core/adapter";
import { contentText, objectsIn, timeIn } from "../../parse/loose-json.ts";
import type { TranscriptFormat, TranslationContext, Translator } from "../../transcript-format.ts";
import { chatMessage } from "../messages/openai-messages.ts";
import type { RunWriter } from "../../write/run-writer.ts";

const COMMAND = /```(?:mswea_bash_command|bash|sh)\s*\n([\s\S]*?)\n?```/;
const RESULT = /^<returncode>(-?\d+)<\/returncode>\s*(?:<output>\n?([\s\S]*?)\n?<\/output>)?/;
const MARK = "(?:COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT|MINI_SWE_AGENT_FINAL_OUTPUT)";
const DONE = new RegExp(String.raw`^\s*${MARK}|echo ['"]?${MARK}`);

/** Trajectories of mini-swe-agent: messages with one shell command, in a code block or in a tool call. */
export const miniSweAgent: TranscriptFormat = {
  name: "mini-swe-agent",
  title: "mini-swe-agent",
  detect: ({ layout, values: [first] }) => {
    const { messages, trajectory_format: format, info } = toObject(first);
    const list = objectsIn(Array.isArray(first) ? first : messages);
    const isNamed = typeof format === "string" && format.startsWith("mini-swe-agent");
    const isOurs =
      isNamed ||
      toObject(info)["mini_version"] !== undefined ||
      list.some(({ role, content }) => role === "user" && RESULT.test(contentText(content)));
    return layout !== "lines" && isOurs
      ? { certainty: 0.95, split: Array.isArray(first) ? ["*"] : ["messages.*"], first: ["info"] }
      : undefined;
  },
  translate,
};

function translate(options: TranslationContext): Translator {
  return new MiniTranslator(options);
}

class MiniTranslator implements Translator {
  readonly #skip: (kind: string) => void;
  readonly #unknown: (kind: string) => void;
  readonly #run: RunWriter;
  #info: LooseObject = {};
  #count = 0;
  /** The text of the answer whose command submits the result. */
  #submitting: string | undefined;

  constructor({ runs, skip, unknown }: TranslationContext) {
    this.#skip = skip;
    this.#unknown = unknown;
    this.#run = runs.open({ agent: "mini-swe-agent" });
  }

  readonly take: Translator["take"] = ({ path, value }) => {
    const [first] = path;
    if (first === "info") this.#info = toObject(value);
    if (!isObject(value) || (typeof first === "string" && first !== "messages")) return this.#skip(String(first));
    const at = timeIn(toObject(value["extra"])["timestamp"]) ?? timeIn(value["timestamp"]);
    this.#count += 1;
    if (value["role"] === "assistant") this.#assistant(value, at);
    else if (value["role"] === "user") this.#user(value, at);
    else if (value["role"] === "tool") {
      const { returncode, raw_output: output } = toObject(value["extra"]);
      this.#run.result({
        output: output ?? contentText(value["content"]),
        ...defined({ call: nameIn(value["tool_call_id"]), exitCode: numberIn(returncode), at }),
      });
    } else if (value["role"] === "exit") {
      if (this.#submitting !== undefined) this.#submit(contentText(value["content"]), at);
      this.#info = { ...this.#info, exit_status: toObject(value["extra"])["exit_status"] ?? this.#info["exit_status"] };
    } else this.#skip(`${textIn(value["role"])} message`);
  };

  readonly end: Translator["end"] = () => {
    const status = nameIn(this.#info["exit_status"]);
    if (status !== undefined)
      this.#run.end({
        status,
        ...defined({ reason: reasonOf(status), summary: nameIn(this.#info["submission"]) }),
      });
  };

  #assistant(message: LooseObject, at: number | undefined): void {
    const text = contentText(message["content"]);
    const { response, cost } = toObject(message["extra"]);
    const usage = knownUsage(toObject(response)["usage"], "chat");
    const notes = defined({
      at,
      model: nameIn(toObject(response)["model"]),
      usage: usage === undefined ? undefined : { ...usage, ...defined({ cost: numberIn(cost) }) },
    });
    if (objectsIn(message["tool_calls"]).length > 0) {
      const [{ function: called } = {}] = objectsIn(message["tool_calls"]);
      if (
        DONE.test(
          textIn(toObject(called)["arguments"])
            .replaceAll('\\"', '"')
            .replace(/^\{"command":\s*"/, ""),
        )
      )
        this.#submitting = text;
      return chatMessage(this.#run, message, {
        id: String(this.#count),
        skip: this.#skip,
        unknown: this.#unknown,
        notes,
      });
    }
    const command = COMMAND.exec(text)?.[1];
    this.#run.answer({ id: String(this.#count), ...notes });
    this.#run.text(text.replace(COMMAND, "").trim());
    if (command === undefined) return;
    this.#run.call({ tool: "bash", input: { command }, ...defined({ at }) });
    if (DONE.test(command)) this.#submitting = text.replace(COMMAND, "").trim();
  }

  #user(message: LooseObject, at: number | undefined): void {
    const text = contentText(message["content"]);
    const result = RESULT.exec(text);
    if (result !== null)
      this.#run.result({ output: result[2] ?? text, exitCode: Number(result[1]), ...defined({ at }) });
    else if (this.#submitting !== undefined) this.#submit(text, at);
    else if (this.#count > 2 && /timed out|Please always provide EXACTLY ONE action|format error/i.test(text))
      this.#failed(text, at);
    else this.#run.user(text, defined({ at }));
  }

  /** The output of the last command is the submission. */
  #submit(text: string, at: number | undefined): void {
    this.#run.result({ output: text, ...defined({ at, call: this.#run.openCall("bash") }) });
    this.#run.finish(this.#submitting ?? "", defined({ at }));
    this.#submitting = undefined;
  }

  #failed(text: string, at: number | undefined): void {
    if (/timed out/i.test(text)) this.#run.result({ output: text, outcome: "error", ...defined({ at }) });
    else this.#run.record({ type: "validation.failed", path: "", expected: text, ...defined({ at }) });
  }
}

function reasonOf(status: string): Reason | undefined {
  if (status === "Submitted" || status === "submitted") return undefined;
  if (status === "LimitsExceeded") return "step_limit";
  if (status.includes("Cost")) return "cost_limit";
  if (status.includes("ContextWindow")) return "context_overflow";
  if (status.includes("Timeout")) return "timeout";
  if (status.includes("RateLimit")) return "rate_limit";
  return status.includes("Interrupt") ? "cancelled" : "unknown";
}
