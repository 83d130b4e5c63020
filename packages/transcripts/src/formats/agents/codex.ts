import { defined, type LooseObject, nameIn, textIn, toObject } from "@phasekit/core/adapter";
import { contentText, readArguments, timeIn } from "../../parse/loose-json.ts";
import { todosOf } from "../../write/todos.ts";
import type { TranscriptFormat, TranslationContext, Translator } from "../../transcript-format.ts";
import { codexUsage } from "../../write/usage.ts";
import { createCodexCommands } from "./codex-commands.ts";

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

function translate({ runs, skip, unknown }: TranslationContext): Translator {
  const run = runs.open();
  let answers = 0;
  /** Items that follow one another are one answer; a result or a message ends it. */
  let answering = false;
  /** The model of the present turn. */
  let model: string | undefined;
  let lastUser = "";
  let lastTotal: unknown;
  let aborted = false;
  /** The last answer whose usage is known, and usage that belongs to none. */
  let counted = 0;
  let spare: ReturnType<typeof codexUsage>;
  /** The agent has said something since the last result. */
  let hasReplied = false;
  const commands = createCodexCommands(run);

  function answer(at: number | undefined): void {
    if (!answering) answers += 1;
    answering = true;
    aborted = false;
    lastUser = "";
    run.answer({ id: String(answers), ...defined({ at, model }) });
  }

  function user(text: string, at: number | undefined): void {
    answering = false;
    if (CONTEXT.test(text)) skip("context message");
    else if (HOOK.test(text)) run.user(text, { by: "hook", ...defined({ at }) });
    // The log has it twice: as an item and as an event.
    else if (text.trim() === lastUser) skip("message given twice");
    else {
      lastUser = text.trim();
      run.user(text, defined({ at }));
    }
  }

  function call(
    tool: string,
    input: unknown,
    { id, at }: { readonly id: unknown; readonly at: number | undefined },
  ): void {
    answer(at);
    commands.call({ id: nameIn(id), tool, input, at });
    const todos = todosOf(tool, input);
    if (todos !== undefined) run.record({ ...todos, ...defined({ at }) });
  }

  function item(payload: LooseObject, at: number | undefined): void {
    const { type, call_id: id, name } = payload;
    switch (type) {
      case "message": {
        const text = contentText(payload["content"]);
        if (payload["role"] === "assistant") {
          answer(at);
          run.text(text);
          hasReplied = true;
        } else if (payload["role"] === "user") user(text, at);
        else skip(`${textIn(payload["role"])} message`);
        return;
      }
      case "function_call":
        return call(textIn(name), readArguments(payload["arguments"]), { id, at });
      case "custom_tool_call":
        return call(textIn(name), payload["input"], { id, at });
      case "local_shell_call":
        return call("shell", payload["action"], { id: id ?? payload["id"], at });
      case "function_call_output":
      case "custom_tool_call_output":
      case "local_shell_call_output": {
        answering = false;
        hasReplied = false;
        return commands.result(nameIn(id), payload["output"], at);
      }
      case "reasoning":
        answer(at);
        return run.reasoning([payload["summary"], payload["content"]].map(contentText).filter(Boolean).join("\n"));
      case "web_search_call":
      case "image_generation_call":
      case "tool_search_call":
      case "tool_search_output":
      case "ghost_snapshot":
      case "compaction":
      case "compaction_summary":
        return skip(type);
      default:
        unknown(`item ${textIn(type)}`);
    }
  }

  function event(payload: LooseObject, at: number | undefined): void {
    const type = textIn(payload["type"]);
    switch (type) {
      case "user_message":
        return user(textIn(payload["message"]), at);
      case "token_count":
        return tokens(toObject(payload["info"]));
      case "exec_command_end":
        commands.ended(payload, at);
        return skip(type);
      case "item_completed": {
        const done = toObject(payload["item"]);
        if (done["type"] === "CommandExecution") commands.ended(done, at);
        return skip(type);
      }
      case "task_complete":
      case "turn_complete": {
        const text = nameIn(payload["last_agent_message"]);
        if (text !== undefined) run.finish(text, defined({ at }));
        else turnEnd(nameIn(toObject(payload["error"])["message"]), at);
        answering = false;
        return;
      }
      case "turn_aborted":
        aborted = true;
        answering = false;
        return run.record({
          type: "model.failed",
          code: "aborted",
          ...defined({ at, message: nameIn(payload["reason"]) }),
        });
      case "error":
      case "stream_error":
        return run.record({ type: "model.failed", ...defined({ at, message: nameIn(payload["message"]) }) });
      default:
        if (SILENT.has(type)) skip(type);
        else unknown(`event ${type}`);
    }
  }

  /** A turn without a last message: its answer was cut off, filtered or empty, or there was none. */
  function turnEnd(message: string | undefined, at: number | undefined): void {
    const cut = /reason: (max_output_tokens|content_filter)/.exec(message ?? "")?.[1];
    if (cut !== undefined) run.amend({ id: String(answers), finishReason: cut });
    else if (message !== undefined) run.record({ type: "model.failed", message, ...defined({ at }) });
    else if (!hasReplied && answers > 0) {
      answering = false;
      answer(at);
      if (spare !== undefined) run.amend({ id: String(answers), usage: spare });
    }
    spare = undefined;
  }

  /** The totals grow; the same ones again only tell the rate limits. */
  function tokens({ last_token_usage: last, total_token_usage: total }: LooseObject): void {
    const totalTokens = toObject(total)["total_tokens"];
    if (totalTokens === undefined || totalTokens === lastTotal || answers === 0)
      return skip("token_count without news");
    lastTotal = totalTokens;
    answering = false;
    const cost = codexUsage(last);
    // An answer is counted once: what is counted after it belongs to an answer that left nothing in the log.
    if (counted === answers) spare = cost;
    else if (!run.amend({ id: String(answers), ...defined({ usage: cost }) })) skip("token_count without an answer");
    counted = answers;
  }

  function meta(payload: LooseObject, at: number | undefined): void {
    const { id, cwd, cli_version: version, source } = payload;
    if (typeof id === "string") run.rename(id);
    const spawn = toObject(toObject(toObject(source)["subagent"])["thread_spawn"]);
    const parent = nameIn(spawn["parent_thread_id"]);
    run.describe({
      agent: typeof version === "string" ? `Codex ${version}` : "Codex",
      ...defined({ folder: nameIn(cwd), startedAt: timeIn(payload["timestamp"]) ?? at }),
      ...(parent !== undefined && { parent: { run: parent } }),
    });
  }

  return {
    take: ({ value }) => {
      const line = toObject(value);
      const at = timeIn(line["timestamp"]);
      const payload = toObject(line["payload"]);
      switch (line["type"]) {
        case "session_meta":
          return meta(payload, at);
        case "response_item":
          return item(payload, at);
        case "event_msg":
          return event(payload, at);
        case "turn_context":
          model = nameIn(payload["model"]) ?? model;
          run.describe(defined({ model }));
          return skip("turn_context");
        case "compacted":
          return run.record({
            type: "context.compacted",
            ...defined({ at, summary: nameIn(payload["message"]) }),
          });
        case "world_state":
        case "token_usage_record":
          return skip(line["type"]);
        default:
          if (line["record_type"] === "state") skip("state");
          else if ("instructions" in line) meta(line, at);
          else if (line["payload"] === undefined && typeof line["type"] === "string") item(line, at);
          else unknown(textIn(line["type"]) === "" ? "line without a type" : textIn(line["type"]));
      }
    },
    end: () => {
      commands.end();
      if (aborted) run.end({ reason: "cancelled", status: "turn_aborted" });
    },
  };
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
