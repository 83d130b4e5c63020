import { defined, type LooseObject, nameIn, textIn, toObject } from "@phasekit/core/adapter";
import { readArguments, timeIn } from "../../parse/loose-json.ts";
import type { TranscriptFormat, TranslationContext, Translator } from "../../transcript-format.ts";
import type { RunWriter } from "../../write/run-writer.ts";

/** The log of the Codex terminal UI: events to and from its screen. */
export const codexTui: TranscriptFormat = {
  name: "codex-tui",
  title: "Codex terminal log",
  detect: ({ values }) => {
    const lines = values.map(toObject);
    return lines.some(
      ({ dir, kind, ts }) =>
        typeof ts === "string" &&
        (dir === "to_tui" || dir === "from_tui" || (dir === "meta" && kind === "session_start")),
    )
      ? { certainty: 1 }
      : undefined;
  },
  translate,
};

function translate(options: TranslationContext): Translator {
  return new TuiTranslator(options);
}

class TuiTranslator implements Translator {
  readonly #skip: (kind: string) => void;
  readonly #unknown: (kind: string) => void;
  readonly #run: RunWriter;
  #answers = 0;
  #isOpen = false;

  constructor({ runs, skip, unknown }: TranslationContext) {
    this.#skip = skip;
    this.#unknown = unknown;
    this.#run = runs.open({ agent: "Codex" });
  }

  readonly take: Translator["take"] = ({ value }) => {
    const line = toObject(value);
    // Nearly all lines are about drawing the screen.
    if (line["kind"] === "app_event") return this.#skip("app_event");
    const at = timeIn(line["ts"]);
    const payload = toObject(line["payload"]);
    if (line["kind"] === "session_start")
      return this.#run.describe(defined({ folder: nameIn(line["cwd"]), model: nameIn(line["model"]), startedAt: at }));
    if (line["kind"] === "op") {
      const items = Array.isArray(payload["items"]) ? payload["items"].map(toObject) : [];
      if (payload["type"] !== "user_input") return this.#skip(`op ${textIn(payload["type"])}`);
      this.#isOpen = false;
      return this.#run.user(items.map(({ text }) => textIn(text)).join("\n"), defined({ at }));
    }
    if (line["kind"] !== "codex_event") return this.#skip(textIn(line["kind"]));
    return this.#codexEvent(toObject(payload["msg"]), at);
  };

  #answer(at: number | undefined): void {
    if (!this.#isOpen) this.#answers += 1;
    this.#isOpen = true;
    this.#run.answer({ id: String(this.#answers), ...defined({ at }) });
  }

  #codexEvent(message: LooseObject, at: number | undefined): void {
    const call = nameIn(message["call_id"]);
    switch (message["type"]) {
      case "session_configured":
        return this.#run.rename(nameIn(message["session_id"]) ?? this.#run.id);
      case "agent_message":
        this.#answer(at);
        return this.#run.text(textIn(message["message"]));
      case "exec_command_begin":
        this.#answer(at);
        return this.#run.call({
          tool: "shell",
          input: { command: message["command"], workdir: message["cwd"] },
          ...defined({ call, at }),
        });
      case "exec_command_end":
        this.#isOpen = false;
        return this.#run.result({
          output: `${textIn(message["stdout"])}${textIn(message["stderr"])}`,
          ...defined({ call, at, exitCode: message["exit_code"] as number | undefined }),
        });
      case "mcp_tool_call_begin":
        this.#answer(at);
        return this.#run.call({
          tool: textIn(toObject(message["invocation"])["tool"]),
          input: readArguments(toObject(message["invocation"])["arguments"]),
          ...defined({ call, at }),
        });
      case "mcp_tool_call_end":
        this.#isOpen = false;
        return this.#run.result({ output: message["result"], ...defined({ call, at }) });
      case "patch_apply_begin":
        this.#answer(at);
        return this.#run.call({ tool: "apply_patch", input: message["changes"], ...defined({ call, at }) });
      case "patch_apply_end":
        this.#isOpen = false;
        return this.#run.result({
          output: `${textIn(message["stdout"])}${textIn(message["stderr"])}`,
          outcome: message["success"] === false ? "error" : "ok",
          ...defined({ call, at }),
        });
      case "error":
        return this.#run.record({ type: "model.failed", ...defined({ at, message: nameIn(message["message"]) }) });
      case "task_complete":
        this.#isOpen = false;
        return typeof message["last_agent_message"] === "string"
          ? this.#run.finish(message["last_agent_message"], defined({ at }))
          : undefined;
      case "turn_aborted":
        this.#isOpen = false;
        return this.#run.record({ type: "model.failed", code: "aborted", ...defined({ at }) });
      case "task_started":
      case "shutdown_complete":
      case "token_count":
      case "turn_diff":
      case "agent_message_delta":
      case "agent_reasoning":
      case "agent_reasoning_delta":
      case "agent_reasoning_raw_content":
      case "agent_reasoning_raw_content_delta":
      case "exec_command_output_delta":
        return this.#skip(`event ${message["type"]}`);
      default:
        return this.#unknown(`event ${textIn(message["type"])}`);
    }
  }
}
