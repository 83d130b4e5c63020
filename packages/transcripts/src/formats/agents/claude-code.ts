import {
  defined,
  isMachinePrompt,
  type LooseObject,
  nameIn,
  numberIn,
  setBounded,
  textIn,
  toObject,
} from "@phasekit/core/adapter";
import { contentText, objectsIn, timeIn } from "../../parse/loose-json.ts";
import type { RunWriter } from "../../write/run-writer.ts";
import type { TranslationContext, TranscriptFormat, Translator } from "../../transcript-format.ts";
import { anthropicUsage } from "../../write/usage.ts";
import { answerBlocks, resultBlocks } from "../messages/anthropic-content.ts";
import { createPromptQueue, type PromptQueue } from "./claude-prompt-queue.ts";
import { createSideChains, type SideChains } from "./claude-side-chains.ts";

/** Sessions of Claude Code, with its sub-agents as child runs. */
export const claudeCode: TranscriptFormat = {
  name: "claude-code",
  title: "Claude Code",
  detect: ({ values }) => {
    const lines = values.map(toObject);
    const isSession = lines.some(
      ({ sessionId, uuid, type, message }) =>
        typeof sessionId === "string" &&
        typeof uuid === "string" &&
        (type === "user" || type === "assistant") &&
        typeof message === "object",
    );
    const isBeginning = lines.some(
      ({ type, sessionId, uuid, snapshot }) =>
        (typeof sessionId === "string" && typeof uuid === "string" && typeof type === "string") ||
        (type === "file-history-snapshot" && snapshot !== undefined),
    );
    return isSession ? { certainty: 1 } : isBeginning ? { certainty: 0.8 } : undefined;
  },
  translate,
};

const MAX_SEEN = 20_000;
const INTERRUPTED = "[Request interrupted by user";
/** Claude Code keeps no record of an empty answer, only of asking again. */
const NO_OUTPUT = "[Your previous response had no visible output";
const STOP_FEEDBACK = "Stop hook feedback:";
const DENIALS_PARTS = [
  "The user doesn't want to",
  "Permission to use",
  "This command requires approval",
  "Claude requested permissions",
  "User rejected",
  ".{0,80}hook (?:error|blocked|stopped)",
];
const DENIALS = new RegExp(`^(?:<tool_use_error>)?(?:${DENIALS_PARTS.join("|")})`);

function translate(options: TranslationContext): Translator {
  return new ClaudeCodeTranslator(options);
}

class ClaudeCodeTranslator implements Translator {
  readonly #skip: (kind: string) => void;
  readonly #unknown: (kind: string) => void;
  readonly #run: RunWriter;
  readonly #chains: SideChains;
  readonly #queue: PromptQueue;
  readonly #seen = new Map<string, true>();
  readonly #shells = createShellCalls();
  #described = false;
  #command: { readonly text: string; readonly at: number | undefined } | undefined;
  #interrupted = false;

  constructor({ runs, skip, unknown }: TranslationContext) {
    this.#skip = skip;
    this.#unknown = unknown;
    this.#run = runs.open();
    this.#chains = createSideChains(this.#run);
    this.#queue = createPromptQueue((text, at) => this.#run.user(text, defined({ at })));
  }

  readonly take: Translator["take"] = ({ value }) => {
    const line = toObject(value);
    const { type } = line;
    this.#describe(line);
    if (this.#isRepeated(line)) {
      this.#skip("record given twice");
      return;
    }
    if (type === "assistant" || type === "user") {
      const writer = this.#chains.writerFor(line);
      if (type === "assistant") {
        this.#sayCommand(writer);
        this.#interrupted = false;
        this.#assistant(writer, line);
      } else this.#user(writer, line);
    } else if (type === "system") this.#system(line);
    else if (type === "attachment") this.#attachment(line);
    else if (type === "queue-operation") {
      if (!this.#queue.operation(line, timeIn(line["timestamp"]))) this.#skip(type);
    } else if (type === "progress") {
      const inner = this.#chains.progress(line);
      if (inner === undefined) this.#skip(`progress ${textIn(toObject(line["data"])["type"])}`);
      else if (inner.line["type"] === "assistant") this.#assistant(inner.writer, inner.line);
      else this.#user(inner.writer, inner.line);
    } else if (typeof type === "string" && SILENT.has(type)) this.#skip(type);
    else this.#unknown(textIn(type) === "" ? "line without a type" : textIn(type));
  };

  readonly end: Translator["end"] = () => {
    this.#chains.endAll();
    if (this.#interrupted) this.#run.end({ reason: "cancelled", status: "interrupted by the user" });
    else if (this.#chains.atWork()) this.#run.end({ reason: "interrupted", status: "a sub-agent was still at work" });
  };

  #describe(line: LooseObject): void {
    const { sessionId, version, cwd, isSidechain, agentId } = line;
    if (this.#described || typeof sessionId !== "string" || typeof line["uuid"] !== "string") return;
    this.#described = true;
    this.#run.describe(
      defined({
        agent: typeof version === "string" ? `Claude Code ${version}` : "Claude Code",
        folder: nameIn(cwd),
        startedAt: timeIn(line["timestamp"]),
      }),
    );
    // A file of a sub-agent alone: its parent is the session it belongs to.
    const isAgentFile = isSidechain === true && typeof agentId === "string";
    this.#run.rename(isAgentFile ? `${sessionId}/${agentId}` : sessionId);
    if (isAgentFile) {
      this.#run.describe({ parent: { run: sessionId } });
      this.#chains.adopt(agentId);
    }
  }

  #isRepeated({ uuid }: LooseObject): boolean {
    if (typeof uuid !== "string") return false;
    if (this.#seen.has(uuid)) return true;
    setBounded(this.#seen, [uuid, true], MAX_SEEN);
    return false;
  }

  #assistant(writer: RunWriter, line: LooseObject): void {
    const at = timeIn(line["timestamp"]);
    const message = toObject(line["message"]);
    if (line["isApiErrorMessage"] === true) {
      writer.record({
        type: "model.failed",
        message: contentText(message["content"]),
        ...defined({ at, code: nameIn(line["error"]) }),
      });
      return;
    }
    if (message["model"] === "<synthetic>") {
      this.#skip("synthetic answer");
      return;
    }
    writer.answer(
      defined({
        id: nameIn(message["id"]),
        at,
        model: nameIn(message["model"]),
        usage: anthropicUsage(message["usage"], line["costUSD"]),
        finishReason: nameIn(message["stop_reason"]),
      }),
    );
    answerBlocks(writer, message["content"], { at, skip: this.#skip, unknown: this.#unknown, todos: true });
    this.#shells.add(message["content"]);
  }

  #user(writer: RunWriter, line: LooseObject): void {
    const at = timeIn(line["timestamp"]);
    const { content } = toObject(line["message"]);
    const about = toObject(line["toolUseResult"]);
    if (writer === this.#run) this.#chains.answered(content, about, at);
    const texts = resultBlocks(writer, content, {
      at,
      skip: this.#skip,
      unknown: this.#unknown,
      aboutResult: (text, block) => aboutResult(text, { about, block, isShell: this.#shells.has(block) }),
    });
    const text = texts.join("\n").trim();
    if (text === "") return;
    this.#chains.notified(text, at);
    if (text.startsWith(INTERRUPTED)) {
      this.#interrupted = true;
      writer.record({ type: "model.failed", code: "aborted", message: text, ...defined({ at }) });
    } else if (line["isCompactSummary"] === true) this.#skip("summary after compaction");
    else if (text.startsWith(STOP_FEEDBACK) || isMachinePrompt(text))
      writer.user(text, { by: "hook", ...defined({ at }) });
    else if (line["isMeta"] === true && text.startsWith(NO_OUTPUT)) writer.answer(defined({ at }));
    else if (line["isMeta"] === true) this.#skip("meta message");
    else if (/^<(?:local-command|bash-(?:stdout|stderr|input))/.test(text)) {
      this.#command = undefined;
      this.#skip("local command");
    } else if (text.startsWith("<command-")) this.#command = { text: commandText(text), at };
    else writer.user(text, defined({ at }));
  }

  /** A slash command counts as what the user said once the agent answers it; the tool's own commands get no answer. */
  #sayCommand(writer: RunWriter): void {
    if (this.#command === undefined) return;
    writer.user(this.#command.text, defined({ at: this.#command.at }));
    this.#command = undefined;
  }

  #system(line: LooseObject): void {
    const { subtype, compactMetadata } = line;
    const at = timeIn(line["timestamp"]);
    if (subtype === "compact_boundary" || subtype === "microcompact_boundary") {
      const { trigger, preTokens } = toObject(compactMetadata ?? line["microcompactMetadata"]);
      this.#run.record({
        type: "context.compacted",
        ...defined({ trigger: nameIn(trigger), tokensBefore: numberIn(preTokens) }),
        ...defined({ at }),
      });
    } else if (subtype === "api_error") {
      const { status, message } = toObject(line["error"]);
      this.#run.record({
        type: "model.failed",
        ...defined({ at, status: numberIn(status), message: nameIn(message), attempt: numberIn(line["retryAttempt"]) }),
      });
    } else this.#skip(`system ${textIn(subtype)}`);
  }

  #attachment(line: LooseObject): void {
    const { type, hookEvent, content, prompt } = toObject(line["attachment"]);
    const at = timeIn(line["timestamp"]);
    if (type === "hook_additional_context" && hookEvent === "Stop")
      this.#run.user(contentText(content), { by: "hook", ...defined({ at }) });
    else if (type === "queued_command" && this.#queue.given(contentText(prompt), at)) return;
    else this.#skip("attachment");
  }
}

const SILENT: ReadonlySet<string> = new Set([
  "summary",
  "file-history-snapshot",
  "atis-latch",
  "api-request",
  "api-request-shape",
  "api-request-blob",
  "tools-used",
  "cost-state",
  "last-prompt",
  "custom-title",
  "ai-title",
  "tag",
  "agent-name",
  "agent-color",
  "agent-setting",
  "mode",
  "permission-mode",
  "pr-link",
  "worktree-state",
  "saved_hook_context",
  "content-replacement",
  "started",
  "result",
  "bridge-session",
]);

const SHELLS: ReadonlySet<unknown> = new Set(["Bash", "PowerShell"]);

/** Remembers which calls went to a shell and wait for it. */
function createShellCalls(): {
  readonly add: (content: unknown) => void;
  readonly has: (result: LooseObject) => boolean;
} {
  const calls = new Map<unknown, true>();
  return {
    add: (content) => {
      for (const { type, name, id, input } of objectsIn(content)) {
        if (type !== "tool_use" || !SHELLS.has(name) || toObject(input)["run_in_background"] === true) continue;
        setBounded(calls, [id, true], MAX_SEEN);
      }
    },
    has: ({ tool_use_id: id }) => calls.has(id),
  };
}

/** Reads exit codes and denials from a result. */
function aboutResult(
  text: string,
  {
    about,
    block: { is_error: isError },
    isShell,
  }: { readonly about: LooseObject; readonly block: LooseObject; readonly isShell: boolean },
): Partial<Parameters<RunWriter["result"]>[0]> {
  const isDenied = isError === true && (DENIALS.test(text) || text.includes("The tool use was rejected"));
  const durationMs = numberIn(about["totalDurationMs"] ?? about["durationMs"]);
  const exitCode = isError === true ? codeOfError(text) : isShell ? codeOfShell(text, about) : undefined;
  return { ...defined({ durationMs, exitCode }), ...(isDenied && { outcome: "denied" as const }) };
}

function codeOfError(text: string): number | undefined {
  const code = /^(?:Error: )?Exit code (\d+)\b/.exec(text)?.[1];
  return code === undefined ? undefined : Number(code);
}

/**
 * The exit code of a command that is not reported as an error: 0 if it ended. A command whose code 1 is an answer, such
 * as a search without a match, comes with an explanation of that code.
 */
function codeOfShell(text: string, about: LooseObject): number | undefined {
  if (about["interrupted"] === true || about["backgroundTaskId"] !== undefined || BACKGROUND.test(text))
    return undefined;
  // Logs that lost the flag still have the words.
  if (codeOfError(text) !== undefined) return undefined;
  return nameIn(about["returnCodeInterpretation"]) === undefined ? 0 : 1;
}

/** A command that continues in the background has no exit code yet. */
const BACKGROUND = /^Command (?:is )?(?:running in (?:the )?background|was (?:manually )?(?:moved to the )?background)/;

function commandText(text: string): string {
  const name = /<command-name>\s*([^<]*)<\/command-name>/.exec(text)?.[1]?.trim() ?? "";
  const given = /<command-args>([^<]*)<\/command-args>/.exec(text)?.[1]?.trim() ?? "";
  return `${name.startsWith("/") ? name : `/${name}`} ${given}`.trim();
}
