import {
  defined,
  knownUsage,
  type LooseObject,
  nameIn,
  numberIn,
  tableOf,
  textIn,
  toObject,
} from "@phasekit/core/adapter";
import { objectsIn, readArguments, readResult, timeIn } from "../../parse/loose-json.ts";
import { mostly } from "../../parse/mostly.ts";
import type { TranscriptFormat, TranslationContext, Translator } from "../../transcript-format.ts";
import type { RunWriter } from "../../write/run-writer.ts";

/** The messages of a task that Cline shows (`ui_messages.json`): what it said, asked, called and got. */
export const cline: TranscriptFormat = {
  name: "cline",
  title: "Cline",
  detect: ({ values: [first] }) => {
    const isMessage = ({ ts, type, say, ask }: LooseObject): boolean =>
      typeof ts === "number" &&
      ((type === "say" && typeof say === "string") || (type === "ask" && typeof ask === "string"));
    return Array.isArray(first) && mostly(objectsIn(first), isMessage) ? { certainty: 1, split: ["*"] } : undefined;
  },
  translate,
};

/** The names of the tools as the model calls them, by the names of their messages. */
const TOOLS: Readonly<Record<string, string>> = tableOf({
  editedExistingFile: "replace_in_file",
  newFileCreated: "write_to_file",
  fileDeleted: "delete_file",
  readFile: "read_file",
  listFilesTopLevel: "list_files",
  listFilesRecursive: "list_files",
  listCodeDefinitionNames: "list_code_definition_names",
  searchFiles: "search_files",
  webFetch: "web_fetch",
  webSearch: "web_search",
  useSkill: "use_skill",
});
/** Tools whose message holds their result; that of the others holds what they write. */
const SHOWS_RESULT = /^(?:list|search|web)/;

/** A call whose result is spread over the messages after it. */
interface OpenCall {
  output: string;
  /** The user was asked before it ran, and has not done anything since. */
  readonly isAsked: boolean;
}

function translate(options: TranslationContext): Translator {
  return new ClineTranslator(options);
}

class ClineTranslator implements Translator {
  readonly #skip: (kind: string) => void;
  readonly #unknown: (kind: string) => void;
  readonly #run: RunWriter;
  #answers = 0;
  #open: OpenCall | undefined;
  #hasTask = false;
  #aborted = false;

  constructor({ runs, skip, unknown }: TranslationContext) {
    this.#skip = skip;
    this.#unknown = unknown;
    this.#run = runs.open({ agent: "Cline" });
  }

  readonly take: Translator["take"] = ({ value }) => this.#take(toObject(value));

  readonly end: Translator["end"] = () => {
    // The last call of a task that still runs, or was left, has no result.
    if (this.#open?.output !== "") this.#close(undefined);
    if (this.#aborted) this.#run.end({ reason: "cancelled", status: "user_cancelled" });
  };

  /** Ends the call at hand. A call that was asked for and followed by words of the user did not run. */
  #close(at: number | undefined, outcome?: "error" | "denied"): void {
    if (this.#open === undefined) return;
    this.#run.result({ output: this.#open.output, ...defined({ at, outcome }) });
    this.#open = undefined;
  }

  #call(tool: string, input: unknown, { at, isAsked }: { at: number | undefined; isAsked: boolean }): void {
    this.#close(at);
    this.#run.call({ tool, input, ...defined({ at }) });
    this.#open = { output: "", isAsked };
  }

  #request(message: LooseObject, at: number | undefined): void {
    this.#close(at);
    const { tokensIn, tokensOut, cacheReads, cacheWrites, cost, cancelReason, streamingFailedMessage } = toObject(
      readResult(message["text"]),
    );
    const inputTokens =
      numberIn(tokensIn) === undefined
        ? undefined
        : Number(tokensIn) + (numberIn(cacheReads) ?? 0) + (numberIn(cacheWrites) ?? 0);
    const usage = knownUsage({
      inputTokens,
      outputTokens: tokensOut,
      cachedInputTokens: cacheReads,
      cacheWriteTokens: cacheWrites,
      cost,
    });
    this.#answers += 1;
    this.#run.answer({
      id: String(this.#answers),
      ...defined({ at, usage, model: nameIn(toObject(message["modelInfo"])["modelId"]) }),
    });
    this.#aborted = cancelReason === "user_cancelled";
    if (typeof cancelReason === "string")
      this.#run.record({
        type: "model.failed",
        ...defined({
          at,
          code: this.#aborted ? "aborted" : undefined,
          message: nameIn(streamingFailedMessage) ?? cancelReason,
        }),
      });
  }

  #tool(message: LooseObject, at: number | undefined): void {
    const { tool: name, content, ...input } = toObject(readResult(message["text"]));
    if (name === "summarizeTask") return this.#run.record({ type: "context.compacted", ...defined({ at }) });
    const shows = SHOWS_RESULT.test(textIn(name));
    this.#call(TOOLS[textIn(name)] ?? textIn(name), shows || content === undefined ? input : { ...input, content }, {
      at,
      isAsked: message["type"] === "ask",
    });
    if (this.#open !== undefined && shows) this.#open.output = textIn(content);
  }

  #mcp(message: LooseObject, at: number | undefined): void {
    const { serverName, toolName, arguments: given, uri } = toObject(readResult(message["text"]));
    const name = [serverName, toolName ?? "resource"].map(textIn).join("__");
    this.#call(name, uri === undefined ? readArguments(given) : { uri }, { at, isAsked: message["type"] === "ask" });
  }

  #user(text: string, at: number | undefined): void {
    this.#close(at, this.#open?.isAsked === true && this.#open.output === "" ? "denied" : undefined);
    this.#hasTask = true;
    this.#run.user(text, defined({ at }));
  }

  /** A question to the user, or a plan: an answer without a call. */
  #asks(message: LooseObject): void {
    const { question, response } = toObject(readResult(message["text"]));
    this.#run.text(textIn(question ?? response) || textIn(message["text"]));
  }

  #take(message: LooseObject): void {
    const at = timeIn(message["ts"]);
    const text = textIn(message["text"]);
    const kind = textIn(message["type"] === "ask" ? message["ask"] : message["say"]);
    if (message["partial"] === true && kind !== "text") return this.#skip("unfinished message");
    switch (kind) {
      case "task":
        return this.#user(text, at);
      case "text":
        // Older versions write the task as the first text.
        return this.#hasTask || this.#answers > 0 ? this.#run.text(text) : this.#user(text, at);
      case "reasoning":
        return this.#run.reasoning(text);
      case "user_feedback":
        return this.#user(text, at);
      case "api_req_started":
        return this.#request(message, at);
      case "tool":
        return this.#tool(message, at);
      case "command":
        return this.#call("execute_command", { command: text }, { at, isAsked: message["type"] === "ask" });
      case "command_output":
      case "browser_action_result":
      case "mcp_server_response":
        if (this.#open === undefined) return this.#skip(`${kind} without a call`);
        this.#open.output += this.#open.output === "" ? text : `\n${text}`;
        return;
      case "use_mcp_server":
        return this.#mcp(message, at);
      case "browser_action_launch":
        return this.#call(
          "browser_action",
          { action: "launch", url: text },
          { at, isAsked: message["type"] === "ask" },
        );
      case "browser_action":
        return this.#call("browser_action", readResult(text), { at, isAsked: false });
      case "diff_error":
      case "clineignore_error":
      case "error":
        if (this.#open === undefined) return this.#skip(kind);
        this.#open.output ||= text;
        return this.#close(at, "error");
      case "command_permission_denied":
        return this.#close(at, "denied");
      case "completion_result":
        if (text === "") return this.#skip("question whether the task is done");
        this.#close(at);
        return this.#run.finish(text, defined({ at }));
      case "followup":
      case "plan_mode_respond":
      case "act_mode_respond":
        return this.#asks(message);
      case "api_req_failed":
        return this.#run.record({ type: "model.failed", ...defined({ at, message: nameIn(text) }) });
      case "condense":
      case "summarize_task":
        return this.#run.record({ type: "context.compacted", ...defined({ at }) });
      case "task_progress":
        return this.#progress(text, at);
      default:
        if (SILENT.has(kind)) this.#skip(kind);
        else this.#unknown(`message ${kind}`);
    }
  }

  #progress(text: string, at: number | undefined): void {
    const todos = [...text.matchAll(/^\s*[-*] \[([ xX])\] (.+)$/gm)].map(([, mark, line = ""]) => ({
      text: line.trim(),
      status: mark === " " ? "pending" : "completed",
    }));
    if (todos.length === 0) return this.#skip("task_progress");
    this.#run.record({ type: "todos.updated", todos, ...defined({ at }) });
  }
}

const SILENT: ReadonlySet<string> = new Set([
  "api_req_finished",
  "api_req_retried",
  "error_retry",
  "user_feedback_diff",
  "shell_integration_warning",
  "shell_integration_warning_with_suggestion",
  "mcp_server_request_started",
  "mcp_notification",
  "deleted_api_reqs",
  "checkpoint_created",
  "load_mcp_documentation",
  "generate_explanation",
  "info",
  "hook_status",
  "hook_output_stream",
  "subagent",
  "use_subagents",
  "subagent_usage",
  "conditional_rules_applied",
  "resume_task",
  "resume_completed_task",
  "mistake_limit_reached",
  "new_task",
  "report_bug",
]);
