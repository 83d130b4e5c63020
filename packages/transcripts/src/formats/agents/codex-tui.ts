import { defined, nameIn, textIn, toObject } from "@phasekit/core/adapter";
import { timeIn } from "../../parse/loose-json.ts";
import { readArguments } from "../../parse/loose-json.ts";
import type { TranscriptFormat } from "../../transcript-format.ts";

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
  translate: ({ runs, skip, unknown }) => {
    const run = runs.open({ agent: "Codex" });
    let answers = 0;
    let isOpen = false;
    const answer = (at: number | undefined): void => {
      if (!isOpen) answers += 1;
      isOpen = true;
      run.answer({ id: String(answers), ...defined({ at }) });
    };
    return {
      take: ({ value }) => {
        const line = toObject(value);
        // Nearly all lines are about drawing the screen.
        if (line["kind"] === "app_event") return skip("app_event");
        const at = timeIn(line["ts"]);
        const payload = toObject(line["payload"]);
        if (line["kind"] === "session_start")
          return run.describe(defined({ folder: nameIn(line["cwd"]), model: nameIn(line["model"]), startedAt: at }));
        if (line["kind"] === "op") {
          const items = Array.isArray(payload["items"]) ? payload["items"].map(toObject) : [];
          if (payload["type"] !== "user_input") return skip(`op ${textIn(payload["type"])}`);
          isOpen = false;
          return run.user(items.map(({ text }) => textIn(text)).join("\n"), defined({ at }));
        }
        if (line["kind"] !== "codex_event") return skip(textIn(line["kind"]));
        const message = toObject(payload["msg"]);
        const call = nameIn(message["call_id"]);
        switch (message["type"]) {
          case "session_configured":
            return run.rename(nameIn(message["session_id"]) ?? run.id);
          case "agent_message":
            answer(at);
            return run.text(textIn(message["message"]));
          case "exec_command_begin":
            answer(at);
            return run.call({
              tool: "shell",
              input: { command: message["command"], workdir: message["cwd"] },
              ...defined({ call, at }),
            });
          case "exec_command_end":
            isOpen = false;
            return run.result({
              output: `${textIn(message["stdout"])}${textIn(message["stderr"])}`,
              ...defined({ call, at, exitCode: message["exit_code"] as number | undefined }),
            });
          case "mcp_tool_call_begin":
            answer(at);
            return run.call({
              tool: textIn(toObject(message["invocation"])["tool"]),
              input: readArguments(toObject(message["invocation"])["arguments"]),
              ...defined({ call, at }),
            });
          case "mcp_tool_call_end":
            isOpen = false;
            return run.result({ output: message["result"], ...defined({ call, at }) });
          case "patch_apply_begin":
            answer(at);
            return run.call({ tool: "apply_patch", input: message["changes"], ...defined({ call, at }) });
          case "patch_apply_end":
            isOpen = false;
            return run.result({
              output: `${textIn(message["stdout"])}${textIn(message["stderr"])}`,
              outcome: message["success"] === false ? "error" : "ok",
              ...defined({ call, at }),
            });
          case "error":
            return run.record({ type: "model.failed", ...defined({ at, message: nameIn(message["message"]) }) });
          case "task_complete":
            isOpen = false;
            return typeof message["last_agent_message"] === "string"
              ? run.finish(message["last_agent_message"], defined({ at }))
              : undefined;
          case "turn_aborted":
            isOpen = false;
            return run.record({ type: "model.failed", code: "aborted", ...defined({ at }) });
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
            return skip(`event ${message["type"]}`);
          default:
            return unknown(`event ${textIn(message["type"])}`);
        }
      },
    };
  },
};
