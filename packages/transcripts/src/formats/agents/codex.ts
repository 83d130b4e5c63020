import { defined, type LooseObject, nameIn, textIn, toObject } from "@phasekit/core/adapter";
import { contentText, readArguments, timeIn } from "../../parse/loose-json.ts";
import { todosOf } from "../../write/todos.ts";
import type { TranscriptFormat, TranslationContext, Translator } from "../../transcript-format.ts";
import { codexUsage } from "../../write/usage.ts";
import { type CodexCommands, createCodexCommands } from "./codex-commands.ts";
import type { RunWriter } from "../../write/run-writer.ts";

const ITEMS: ReadonlySet<unknown> = new Set([
  "session_meta",
  "response_item",
  "event_msg",
  "turn_context",
  "compacted",
]);

/** Rollouts of Codex, and the older ones whose lines are bare response items. */
export const codex: TranscriptFormat = {
  name: "codex",
  title: "Codex",
  detect: ({ values }) => {
    const lines = values.map(toObject);
    if (lines.some(({ type, payload }) => ITEMS.has(type) && typeof payload === "object")) return { certainty: 1 };
    const [first = {}] = lines;
    const isOld =
      typeof first["id"] === "string" &&
      typeof first["timestamp"] === "string" &&
      "instructions" in first &&
      lines.some(({ record_type: record, type }) => record === "state" || type === "message");
    return isOld ? { certainty: 0.9 } : undefined;
  },
  translate,
};

const CONTEXT_PARTS = [
  "environment_context",
  "user_instructions",
  "permissions instructions",
  "collaboration_mode",
  "apps_instructions",
  "skills_instructions",
  "turn_aborted",
  "subagent_notification",
  "user_shell_command",
];
/** The text of a hook that did not let the agent finish. */
const HOOK = /^\s*<hook_prompt\b/;
const CONTEXT = new RegExp(String.raw`^\s*(?:<(?:${CONTEXT_PARTS.join("|")})\b|# AGENTS\.md instructions)`);

function translate(options: TranslationContext): Translator {
  return new CodexTranslator(options);
}

class CodexTranslator implements Translator {
  readonly #skip: (kind: string) => void;
  readonly #unknown: (kind: string) => void;
  readonly #run: RunWriter;
  #answers = 0;
  /** Items that follow one another are one answer; a result or a message ends it. */
  #answering = false;
  /** The model of the present turn. */
  #model: string | undefined;
  #lastUser = "";
  #lastTotal: unknown;
  #aborted = false;
  /** The last answer whose usage is known, and usage that belongs to none. */
  #counted = 0;
  #spare: ReturnType<typeof codexUsage> | undefined;
  /** The agent has said something since the last result. */
  #hasReplied = false;
  readonly #commands: CodexCommands;

  constructor({ runs, skip, unknown }: TranslationContext) {
    this.#skip = skip;
    this.#unknown = unknown;
    this.#run = runs.open();
    this.#commands = createCodexCommands(this.#run);
  }

  readonly take: Translator["take"] = ({ value }) => {
    const line = toObject(value);
    const at = timeIn(line["timestamp"]);
    const payload = toObject(line["payload"]);
    switch (line["type"]) {
      case "session_meta":
        return this.#meta(payload, at);
      case "response_item":
        return this.#item(payload, at);
      case "event_msg":
        return this.#event(payload, at);
      case "turn_context":
        this.#model = nameIn(payload["model"]) ?? this.#model;
        this.#run.describe(defined({ model: this.#model }));
        return this.#skip("turn_context");
      case "compacted":
        return this.#run.record({
          type: "context.compacted",
          ...defined({ at, summary: nameIn(payload["message"]) }),
        });
      case "world_state":
      case "token_usage_record":
        return this.#skip(line["type"]);
      default:
        if (line["record_type"] === "state") this.#skip("state");
        else if ("instructions" in line) this.#meta(line, at);
        else if (line["payload"] === undefined && typeof line["type"] === "string") this.#item(line, at);
        else this.#unknown(textIn(line["type"]) === "" ? "line without a type" : textIn(line["type"]));
    }
  };

  readonly end: Translator["end"] = () => {
    this.#commands.end();
    if (this.#aborted) this.#run.end({ reason: "cancelled", status: "turn_aborted" });
  };

  #answer(at: number | undefined): void {
    if (!this.#answering) this.#answers += 1;
    this.#answering = true;
    this.#aborted = false;
    this.#lastUser = "";
    this.#run.answer({ id: String(this.#answers), ...defined({ at, model: this.#model }) });
  }

  #user(text: string, at: number | undefined): void {
    this.#answering = false;
    if (CONTEXT.test(text)) this.#skip("context message");
    else if (HOOK.test(text)) this.#run.user(text, { by: "hook", ...defined({ at }) });
    // The log has it twice: as an item and as an event.
    else if (text.trim() === this.#lastUser) this.#skip("message given twice");
    else {
      this.#lastUser = text.trim();
      this.#run.user(text, defined({ at }));
    }
  }

  #call(tool: string, input: unknown, { id, at }: { readonly id: unknown; readonly at: number | undefined }): void {
    this.#answer(at);
    this.#commands.call({ id: nameIn(id), tool, input, at });
    const todos = todosOf(tool, input);
    if (todos !== undefined) this.#run.record({ ...todos, ...defined({ at }) });
  }

  #item(payload: LooseObject, at: number | undefined): void {
    const { type, call_id: id, name } = payload;
    switch (type) {
      case "message": {
        const text = contentText(payload["content"]);
        if (payload["role"] === "assistant") {
          this.#answer(at);
          this.#run.text(text);
          this.#hasReplied = true;
        } else if (payload["role"] === "user") this.#user(text, at);
        else this.#skip(`${textIn(payload["role"])} message`);
        return;
      }
      case "function_call":
        return this.#call(textIn(name), readArguments(payload["arguments"]), { id, at });
      case "custom_tool_call":
        return this.#call(textIn(name), payload["input"], { id, at });
      case "local_shell_call":
        return this.#call("shell", payload["action"], { id: id ?? payload["id"], at });
      case "function_call_output":
      case "custom_tool_call_output":
      case "local_shell_call_output": {
        this.#answering = false;
        this.#hasReplied = false;
        return this.#commands.result(nameIn(id), payload["output"], at);
      }
      case "reasoning":
        this.#answer(at);
        return this.#run.reasoning(
          [payload["summary"], payload["content"]].map(contentText).filter(Boolean).join("\n"),
        );
      case "web_search_call":
      case "image_generation_call":
      case "tool_search_call":
      case "tool_search_output":
      case "ghost_snapshot":
      case "compaction":
      case "compaction_summary":
        return this.#skip(type);
      default:
        this.#unknown(`item ${textIn(type)}`);
    }
  }

  #event(payload: LooseObject, at: number | undefined): void {
    const type = textIn(payload["type"]);
    switch (type) {
      case "user_message":
        return this.#user(textIn(payload["message"]), at);
      case "token_count":
        return this.#tokens(toObject(payload["info"]));
      case "exec_command_end":
        this.#commands.ended(payload, at);
        return this.#skip(type);
      case "item_completed": {
        const done = toObject(payload["item"]);
        if (done["type"] === "CommandExecution") this.#commands.ended(done, at);
        return this.#skip(type);
      }
      case "task_complete":
      case "turn_complete": {
        const text = nameIn(payload["last_agent_message"]);
        if (text !== undefined) this.#run.finish(text, defined({ at }));
        else this.#turnEnd(nameIn(toObject(payload["error"])["message"]), at);
        this.#answering = false;
        return;
      }
      case "turn_aborted":
        this.#aborted = true;
        this.#answering = false;
        return this.#run.record({
          type: "model.failed",
          code: "aborted",
          ...defined({ at, message: nameIn(payload["reason"]) }),
        });
      case "error":
      case "stream_error":
        return this.#run.record({ type: "model.failed", ...defined({ at, message: nameIn(payload["message"]) }) });
      default:
        if (SILENT.has(type)) this.#skip(type);
        else this.#unknown(`event ${type}`);
    }
  }

  /** A turn without a last message: its answer was cut off, filtered or empty, or there was none. */
  #turnEnd(message: string | undefined, at: number | undefined): void {
    const cut = /reason: (max_output_tokens|content_filter)/.exec(message ?? "")?.[1];
    if (cut !== undefined) this.#run.amend({ id: String(this.#answers), finishReason: cut });
    else if (message !== undefined) this.#run.record({ type: "model.failed", message, ...defined({ at }) });
    else if (!this.#hasReplied && this.#answers > 0) {
      this.#answering = false;
      this.#answer(at);
      if (this.#spare !== undefined) this.#run.amend({ id: String(this.#answers), usage: this.#spare });
    }
    this.#spare = undefined;
  }

  /** The totals grow; the same ones again only tell the rate limits. */
  #tokens({ last_token_usage: last, total_token_usage: total }: LooseObject): void {
    const totalTokens = toObject(total)["total_tokens"];
    if (totalTokens === undefined || totalTokens === this.#lastTotal || this.#answers === 0)
      return this.#skip("token_count without news");
    this.#lastTotal = totalTokens;
    this.#answering = false;
    const cost = codexUsage(last);
    // An answer is counted once: what is counted after it belongs to an answer that left nothing in the log.
    if (this.#counted === this.#answers) this.#spare = cost;
    else if (!this.#run.amend({ id: String(this.#answers), ...defined({ usage: cost }) }))
      this.#skip("token_count without an answer");
    this.#counted = this.#answers;
  }

  #meta(payload: LooseObject, at: number | undefined): void {
    const { id, cwd, cli_version: version, source } = payload;
    if (typeof id === "string") this.#run.rename(id);
    const spawn = toObject(toObject(toObject(source)["subagent"])["thread_spawn"]);
    const parent = nameIn(spawn["parent_thread_id"]);
    this.#run.describe({
      agent: typeof version === "string" ? `Codex ${version}` : "Codex",
      ...defined({ folder: nameIn(cwd), startedAt: timeIn(payload["timestamp"]) ?? at }),
      ...(parent !== undefined && { parent: { run: parent } }),
    });
  }
}

const SILENT: ReadonlySet<string> = new Set([
  "task_started",
  "turn_started",
  "agent_message",
  "agent_reasoning",
  "agent_reasoning_raw_content",
  "agent_reasoning_section_break",
  "patch_apply_begin",
  "patch_apply_end",
  "exec_command_begin",
  "exec_command_output_delta",
  "mcp_tool_call_begin",
  "mcp_tool_call_end",
  "web_search_begin",
  "web_search_end",
  "turn_diff",
  "plan_update",
  "background_event",
  "context_compacted",
  "item_started",
  "entered_review_mode",
  "exited_review_mode",
  "thread_name_updated",
  "thread_rolled_back",
  "undo_started",
  "undo_completed",
  "warning",
  "exec_approval_request",
  "apply_patch_approval_request",
  "session_configured",
  "view_image_tool_call",
  "collab_agent_spawn_begin",
  "collab_agent_spawn_end",
  "collab_waiting_begin",
  "collab_waiting_end",
  "collab_close_begin",
  "collab_close_end",
  "collab_agent_interaction_begin",
  "collab_agent_interaction_end",
  "image_generation_end",
  "guardian_assessment",
  "thread_goal_updated",
  "terminal_interaction",
  "thread_settings_applied",
]);
