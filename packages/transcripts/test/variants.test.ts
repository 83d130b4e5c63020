import { describe, expect, it } from "vitest";
import { createTranslation, parseTranscript, renderTranscriptReport, type Transcript } from "../src/index.ts";
import { eventsToLines } from "./event-lines.ts";

const linesOf = ({ runs }: Transcript): readonly string[] => runs.flatMap((run) => eventsToLines(run));
const lines = (...values: readonly object[]): Transcript =>
  parseTranscript(values.map((value) => JSON.stringify(value)).join("\n"));

describe("openai-responses", () => {
  const response = (more: object): object => ({
    object: "response",
    id: "r",
    model: "gpt-test-1",
    status: "completed",
    output: [],
    ...more,
  });

  it("reads stored responses line by line, with usage and failures", () => {
    const transcript = lines(
      response({
        output: [
          { type: "reasoning" },
          { type: "function_call", call_id: "c", name: "read", arguments: "{}" },
          { type: "web_search_call" },
        ],
        usage: {
          input_tokens: 9,
          output_tokens: 2,
          input_tokens_details: { cached_tokens: 4 },
          output_tokens_details: { reasoning_tokens: 1 },
        },
      }),
      response({ status: "failed", error: { code: "server_error", message: "oh" } }),
      response({ output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] }] }),
    );
    expect(transcript.report).toMatchObject({
      format: "openai-responses",
      answers: 2,
      answersWithUsage: 1,
      unanswered: 1,
      skipped: { web_search_call: 1 },
    });
    expect(transcript.runs[0]?.events.find(({ type }) => type === "model.answered")).toMatchObject({
      model: "gpt-test-1",
      usage: { inputTokens: 9, outputTokens: 2, cachedInputTokens: 4, reasoningTokens: 1 },
    });
    expect(transcript.runs[0]?.events.find(({ type }) => type === "model.failed")).toMatchObject({
      code: "server_error",
      inBody: true,
    });
  });

  it("reads a request with its items, and one response alone", () => {
    const request = parseTranscript({
      model: "m",
      input: [
        { role: "developer", content: "be" },
        { role: "user", content: "go" },
        { type: "custom_tool_call", call_id: "c", name: "patch", input: "*** Begin" },
        { type: "custom_tool_call_output", call_id: "c", output: "ok" },
        { type: "quantum" },
      ],
      usage: 1,
    });
    expect(linesOf(request)).toEqual([
      "message.received: go",
      "turn.started",
      "answered: 0 characters, 1 calls",
      'call patch "*** Begin"',
      'ok patch "ok"',
    ]);
    expect(request.report.unknown).toEqual({ "item quantum": 1 });
    expect(
      parseTranscript(
        response({ output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi." }] }] }),
      ).report.answers,
    ).toBe(1);
  });
});

describe("openai-messages", () => {
  it("reads a file of conversations as a run per line", () => {
    const conversation = (text: string): object => ({
      messages: [
        { role: "user", content: text },
        { role: "assistant", content: `${text}?` },
      ],
      tools: [],
    });
    const { runs, report } = lines(conversation("one"), conversation("two"));
    expect(runs.map(({ id, task, ending }) => [id, task?.text, ending.reason])).toEqual([
      ["transcript", "one", undefined],
      ["transcript#2", "two", undefined],
    ]);
    expect(report).toMatchObject({ runs: 2, answers: 2, skipped: { tools: 2 } });
  });
});

describe("mini-swe-agent", () => {
  it("reads version 2: tool calls, times, costs and an exit message", () => {
    const at = 1_772_359_200;
    const call = (id: string, command: string): object => ({
      role: "assistant",
      content: "I do.",
      tool_calls: [{ id, type: "function", function: { name: "bash", arguments: JSON.stringify({ command }) } }],
      extra: { timestamp: at, cost: 0.5, response: { model: "m", usage: { prompt_tokens: 10, completion_tokens: 2 } } },
    });
    const transcript = parseTranscript({
      trajectory_format: "mini-swe-agent-2",
      info: { exit_status: "Submitted", submission: "diff" },
      messages: [
        { role: "system", content: "s" },
        { role: "user", content: "go" },
        call("c1", "ls"),
        {
          role: "tool",
          tool_call_id: "c1",
          content: "<output>",
          extra: { returncode: 2, raw_output: "no such file", timestamp: at + 1 },
        },
        call("c2", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"),
        { role: "exit", content: "diff", extra: { exit_status: "Submitted" } },
      ],
    });
    expect(linesOf(transcript)).toEqual([
      "message.received: go",
      "turn.started",
      "answered: 5 characters, 1 calls",
      "message.sent: I do.",
      'call bash {"command":"ls"}',
      'error bash "no such file"',
      "turn.started",
      "answered: 5 characters, 1 calls",
      "message.sent: I do.",
      'call bash {"command":"echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"}',
      'ok bash "diff"',
      "finish: I do.",
    ]);
    expect(
      transcript.runs[0]?.events.filter((event) => event.type === "tool.finished").map(({ exitCode }) => exitCode),
    ).toEqual([2, undefined]);
    expect(transcript.runs[0]?.events[2]).toMatchObject({ usage: { inputTokens: 10, cost: 0.5 }, at: at * 1000 });
    expect(transcript.runs[0]?.ending).toMatchObject({ status: "Submitted", summary: "diff" });
  });

  it.each([
    { status: "LimitsExceeded", reason: "step_limit" },
    { status: "CostLimitExceeded", reason: "cost_limit" },
    { status: "KeyboardInterrupt", reason: "cancelled" },
    { status: "ContextWindowExceededError", reason: "context_overflow" },
    { status: "RuntimeError", reason: "unknown" },
  ])("$status ends a run as $reason", ({ status, reason }) => {
    const { runs } = parseTranscript({
      info: { exit_status: status, mini_version: "1" },
      messages: [
        { role: "user", content: "go" },
        { role: "assistant", content: "```bash\nls\n```" },
        { role: "user", content: "The command timed out." },
        { role: "assistant", content: "no block" },
        { role: "user", content: "Please always provide EXACTLY ONE action." },
      ],
    });
    expect(runs[0]?.ending).toMatchObject({ status, reason });
    expect(runs[0]?.events.map(({ type }) => type)).toContain("validation.failed");
    expect(runs[0]?.events.find((event) => event.type === "tool.finished")).toMatchObject({ outcome: "error" });
  });
});

describe("codex-tui", () => {
  it("reads commands, patches and aborts", () => {
    const event = (message: object): object => ({
      ts: "2026-03-01T10:00:00Z",
      dir: "to_tui",
      kind: "codex_event",
      payload: { id: "1", msg: message },
    });
    const transcript = lines(
      { ts: "2026-03-01T10:00:00Z", dir: "meta", kind: "session_start", cwd: "/repo", model: "m" },
      event({ type: "exec_command_begin", call_id: "a", command: ["ls"], cwd: "/repo" }),
      event({ type: "exec_command_end", call_id: "a", stdout: "x", stderr: "y", exit_code: 1 }),
      event({ type: "patch_apply_begin", call_id: "b", changes: {} }),
      event({ type: "patch_apply_end", call_id: "b", success: false, stdout: "", stderr: "no" }),
      event({ type: "error", message: "oh" }),
      event({ type: "turn_aborted" }),
      event({ type: "brand_new" }),
    );
    expect(linesOf(transcript)).toEqual([
      "turn.started",
      "answered: 0 characters, 1 calls",
      'call shell {"command":["ls"],"workdir":"/repo"}',
      'error shell "xy"',
      "turn.started",
      "answered: 0 characters, 1 calls",
      "call apply_patch {}",
      'error apply_patch "no"',
      "model.failed",
      "model.failed",
    ]);
    expect(transcript.report.unknown).toEqual({ "event brand_new": 1 });
  });
});

describe("openhands of the SDK", () => {
  it("reads errors, rejections, condensations and kinds it does not know", () => {
    const event = (kind: string, more: object): object => ({
      id: kind,
      kind,
      source: "agent",
      timestamp: "2026-03-01T10:00:00",
      ...more,
    });
    const action = (id: string): object =>
      event("ActionEvent", {
        tool_name: "terminal",
        tool_call_id: id,
        llm_response_id: id,
        action: { command: "ls" },
        thought: [],
      });
    const transcript = parseTranscript([
      action("a"),
      event("AgentErrorEvent", { tool_call_id: "a", error: "bad call" }),
      action("b"),
      event("UserRejectObservation", { tool_call_id: "b", rejection_reason: "no" }),
      event("Condensation", {}),
      event("ConversationErrorEvent", { code: "limit", detail: "too far" }),
      event("PauseEvent", {}),
      event("HologramEvent", {}),
      action("finish"),
    ]);
    expect(linesOf(transcript).filter((line) => /^(?:error|denied|context|model\.)/.test(line))).toEqual([
      'error terminal "bad call"',
      'denied terminal "no"',
      "context.compacted",
      "model.failed",
    ]);
    expect(transcript.report).toMatchObject({ skipped: { Pause: 1 }, unknown: { "event without an action": 1 } });
  });
});

describe("reasoning", () => {
  const reasoned = (value: unknown): readonly unknown[] =>
    parseTranscript(value).runs.flatMap(({ events }) =>
      events.flatMap((event) => (event.type === "model.reasoned" && "text" in event ? [event.text] : [])),
    );

  it("is read from the parts of Gemini that are thoughts", () => {
    const contents = [
      { role: "user", parts: [{ text: "go" }] },
      { role: "model", parts: [{ text: "Hm, once more.", thought: true }, { text: "Done." }] },
    ];
    expect(reasoned({ contents })).toEqual(["Hm, once more."]);
  });

  it("is read from actions of OpenHands", () => {
    const action = {
      id: "a",
      kind: "ActionEvent",
      source: "agent",
      timestamp: "2026-03-01T10:00:00",
      tool_name: "terminal",
      tool_call_id: "a",
      llm_response_id: "a",
      action: { command: "ls" },
      reasoning_content: "Hm, once more.",
      thought: [],
    };
    expect(reasoned([action])).toEqual(["Hm, once more."]);
  });
});

describe("a document that is broken", () => {
  it("is read up to the damage, in any size", () => {
    const messages =
      '{"messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"read","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"x"},{"role":"assi';
    for (const wholeDocument of [1_000_000, 10]) {
      const translation = createTranslation({ limits: { wholeDocument } });
      const items = [...translation.push(messages), ...translation.end()];
      expect(items.filter(({ type }) => type === "event")).toHaveLength(5);
      expect(translation.report()).toMatchObject({
        calls: 1,
        results: 1,
        broken: { "broken JSON": 1, "the document is cut off": 1 },
      });
    }
  });
});

describe("renderTranscriptReport", () => {
  it("counts all records", () => {
    const { report } = parseTranscript(
      [
        { role: "user", content: "go" },
        { role: "oracle", content: "hm" },
        { role: "system", content: "be" },
        {
          role: "assistant",
          tool_calls: [{ id: "a", function: { name: "read", arguments: "{}" } }],
          usage: { prompt_tokens: 3 },
        },
        { role: "tool", tool_call_id: "ghost", content: "x" },
      ]
        .map((message) => JSON.stringify(message))
        .join("\n")
        .replace('{"role":"system"', '{"role":"user","content":"cut o{"role":"system"'),
      { format: "openai-messages" },
    );
    expect(renderTranscriptReport(report)).toMatchInlineSnapshot(`
      "openai-messages: 6 records, 3 translated, 1 skipped, 1 unknown, 1 broken
        1 run; 1 answer, 1 with usage
        2 calls, 1 result, 1 call without a result, 1 result without a call
        1 record recovered from damaged lines
        skipped: system message 1
        unknown: role oracle 1
        broken: cut off, followed by another record 1
          line 3: cut off, followed by another record"
    `);
  });
});
