import type { Json, ScriptedAnswer } from "../openai-server/protocol.ts";
import type { ClaudeProcess } from "../scripted-claude.ts";
import { messageAnswer, messageEvents } from "../anthropic-server/messages.ts";

/** Passed to a tool of the scripted Claude Code beside its input. */
export interface ToolContext {
  readonly call: string;
  readonly emit: ClaudeProcess["emit"];
  readonly hook: ClaudeProcess["hook"];
}

export interface ClaudeTool {
  readonly name: string;
  readonly execute: (input: unknown, context: ToolContext) => unknown;
}

interface CallResult {
  readonly text: string;
  readonly failed: boolean;
  readonly meta?: Json;
}

let messages = 0;

/** Plays one prompt as Claude Code does: hooks, messages of single blocks, tools, a result. True if it went well. */
export async function playPrompt(claude: ClaudeProcess, prompt: string): Promise<boolean> {
  const { emit, hook, ask, history, tools, maxTurns } = claude;
  const submitted = await hook("UserPromptSubmit", { prompt });
  history.push({ role: "user", text: prompt });
  addContext(claude, submitted);
  emit({ type: "system", subtype: "init", model: "large-1", tools: tools.map(({ name }) => name) });
  let turns = 0;
  for (let wasVetoed = false; ;) {
    if (submitted["continue"] === false) return finish(claude, { result: "", terminal_reason: "hook_stopped" });
    if (turns >= maxTurns)
      return finish(claude, {
        subtype: "error_max_turns",
        is_error: true,
        terminal_reason: "max_turns",
        errors: [`Reached maximum number of turns (${maxTurns})`],
      });
    turns += 1;
    const answer = ask(history);
    if (answer.hangs !== undefined) {
      answer.hangs();
      return new Promise(() => undefined);
    }
    if (answer.fails !== undefined) return fail(claude, answer.fails);
    const { text = "", calls = [] } = answer;
    const message = sendAnswer(claude, answer);
    history.push({ role: "assistant", text, ...(calls.length > 0 && { calls: calls.map(({ tool }) => tool) }) });
    if (answer.cutOff === true) {
      // It asks again by itself, without a hook.
      const more = "Output token limit hit. Resume directly.";
      history.push({ role: "user", text: more });
      emit({ type: "user", message: { role: "user", content: [{ type: "text", text: more }] }, isSynthetic: true });
      continue;
    }
    if (calls.length > 0) {
      const batch = await makeCalls(
        claude,
        (message["content"] as Json[]).filter(({ type }) => type === "tool_use"),
      );
      if (batch["continue"] === false) return finish(claude, { result: "", terminal_reason: "hook_stopped" });
      addContext(claude, batch);
      continue;
    }
    const stop = await hook("Stop", {
      stop_hook_active: wasVetoed,
      last_assistant_message: text,
      background_tasks: [],
      session_crons: [],
    });
    if (stop["continue"] === false) return finish(claude, { result: text, terminal_reason: "stop_hook_prevented" });
    if (!addContext(claude, stop)) return finish(claude, { result: text, terminal_reason: "completed" });
    wasVetoed = true;
  }
}

/** Adds what a hook says to the conversation, as a message of its own. */
function addContext({ history }: ClaudeProcess, answer: Json): boolean {
  const { additionalContext } = (answer["hookSpecificOutput"] ?? {}) as Json;
  const text = additionalContext ?? (answer["decision"] === "block" ? answer["reason"] : undefined);
  if (typeof text === "string") history.push({ role: "user", text });
  return typeof text === "string";
}

function sendAnswer({ emit, partial }: ClaudeProcess, answer: ScriptedAnswer): Json {
  const message = messageAnswer(answer, { id: `msg-${messages++}`, body: { model: "large-1" } });
  const events = messageEvents(message).filter(({ type }) => type !== "ping");
  const [{ message: head }] = events as [Json];
  const stream = (event: Json | undefined): void => {
    if (partial && event !== undefined) emit({ type: "stream_event", event, parent_tool_use_id: null });
  };
  let index = -1;
  for (const event of events) {
    if (event["type"] === "content_block_stop") {
      index += 1;
      // Every block is a message, with the usage of the first event.
      const block = (message["content"] as Json[])[index];
      emit({ type: "assistant", message: { ...(head as Json), content: [block] }, parent_tool_use_id: null });
    }
    stream(event);
  }
  return message;
}

/** Asks for every call, makes those that are allowed, and reports the batch. */
async function makeCalls(claude: ClaudeProcess, blocks: readonly Json[]): Promise<Json> {
  const { emit, hook, history } = claude;
  const refusals: (string | undefined)[] = [];
  for (const block of blocks) {
    const answer = claude.tools.some(({ name }) => name === block["name"])
      ? await hook("PreToolUse", callOf(block), String(block["id"]))
      : {};
    const { permissionDecision, permissionDecisionReason } = (answer["hookSpecificOutput"] ?? {}) as Json;
    refusals.push(permissionDecision === "deny" ? String(permissionDecisionReason) : undefined);
  }
  const results = await Promise.all(blocks.map((block, index) => makeCall(claude, block, refusals[index])));
  results.forEach(({ text, failed, meta }, index) => {
    history.push({ role: "tool", text });
    const { id } = blocks[index] ?? {};
    const content = [{ type: "tool_result", tool_use_id: id, content: text, is_error: failed }];
    const tool_result_meta = meta === undefined ? [] : [{ id, ...meta }];
    emit({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, tool_result_meta });
  });
  const tool_calls = blocks.map((block, index) => ({ ...callOf(block), tool_response: results[index]?.text }));
  return hook("PostToolBatch", { tool_calls });
}

async function makeCall(claude: ClaudeProcess, block: Json, refusal: string | undefined): Promise<CallResult> {
  const { hook, permit, emit } = claude;
  const call = String(block["id"]);
  const tool = claude.tools.find(({ name }) => name === block["name"]);
  if (tool === undefined) return { text: `Error: No such tool available: ${String(block["name"])}`, failed: true };
  if (refusal !== undefined) return { text: `PreToolUse:${tool.name} hook error: ${refusal}`, failed: true };
  const permission = await permit({ tool_name: tool.name, input: block["input"], tool_use_id: call });
  if (permission["behavior"] === "deny")
    return { text: String(permission["message"]), failed: true, meta: { non_execution_kind: "permission-rule" } };
  try {
    const tool_response = await tool.execute(block["input"], { call, emit, hook });
    await hook("PostToolUse", { ...callOf(block), tool_response, duration_ms: 1 }, call);
    return { text: typeof tool_response === "string" ? tool_response : JSON.stringify(tool_response), failed: false };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    await hook("PostToolUseFailure", { ...callOf(block), error: text, is_interrupt: false, duration_ms: 1 }, call);
    return { text, failed: true };
  }
}

function callOf({ id, name, input }: Json): Json {
  return { tool_name: name, tool_input: input, tool_use_id: id };
}

async function fail(claude: ClaudeProcess, { status, code }: NonNullable<ScriptedAnswer["fails"]>): Promise<boolean> {
  const text = `API Error: ${status} the script says so`;
  const message = { id: `own-${messages++}`, model: "<synthetic>", content: [{ type: "text", text }], usage: {} };
  claude.emit({ type: "assistant", message, parent_tool_use_id: null, error: code });
  await claude.hook("StopFailure", { error: code, last_assistant_message: text });
  return finish(claude, {
    result: text,
    is_error: true,
    terminal_reason: "api_error",
    api_error_status: status,
    api_error_type: code,
  });
}

function finish({ emit, costUsd }: ClaudeProcess, members: Json): boolean {
  emit({
    type: "result",
    subtype: "success",
    is_error: false,
    num_turns: 1,
    duration_ms: 1,
    duration_api_ms: 1,
    total_cost_usd: costUsd,
    usage: {},
    modelUsage: {},
    permission_denials: [],
    ...members,
  });
  return members["is_error"] !== true;
}
