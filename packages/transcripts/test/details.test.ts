import { playRun, type RunEvent, type RunOptions } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { parseTranscript, type Transcript } from "../src/index.ts";

const lines = (...values: readonly object[]): Transcript =>
  parseTranscript(values.map((value) => JSON.stringify(value)).join("\n"));
const finished = ({ runs }: Transcript): readonly unknown[] =>
  runs.flatMap(({ events }) =>
    events.flatMap((event) =>
      event.type === "tool.finished"
        ? [{ outcome: event.outcome, exitCode: event.exitCode, output: event.output, durationMs: event.durationMs }]
        : [],
    ),
  );
const typesOf = (transcript: Transcript, run = 0): readonly string[] =>
  transcript.runs[run]?.events.map(({ type }) => type) ?? [];

describe("codex", () => {
  const meta = (more: object = {}): object => ({
    timestamp: "2026-03-01T10:00:00Z",
    type: "session_meta",
    payload: { id: "r1", cwd: "/repo", cli_version: "1", ...more },
  });
  const item = (payload: object): object => ({ timestamp: "2026-03-01T10:00:01Z", type: "response_item", payload });
  const event = (payload: object): object => ({ timestamp: "2026-03-01T10:00:02Z", type: "event_msg", payload });
  const call = item({ type: "function_call", name: "shell", arguments: '{"command":["ls"]}', call_id: "c" });

  it.each([
    {
      output: "Exit code: 2\nWall time: 1.5 seconds\nOutput:\nboom",
      expected: { outcome: "error", exitCode: 2, output: "boom", durationMs: 1500 },
    },
    {
      output: '{"output":"ok","metadata":{"exit_code":0,"duration_seconds":0.2}}',
      expected: { outcome: "ok", exitCode: 0, output: "ok", durationMs: 200 },
    },
    {
      output: { content: "no", success: false },
      expected: { outcome: "error", exitCode: undefined, output: "no", durationMs: undefined },
    },
    {
      output: "apply_patch verification failed: no such file",
      expected: {
        outcome: "error",
        exitCode: undefined,
        output: "apply_patch verification failed: no such file",
        durationMs: undefined,
      },
    },
    {
      output: "The docs say: Exit code: 3 means trouble",
      expected: {
        outcome: "ok",
        exitCode: undefined,
        output: "The docs say: Exit code: 3 means trouble",
        durationMs: undefined,
      },
    },
    { output: "", expected: { outcome: "ok", exitCode: undefined, output: "", durationMs: undefined } },
  ])("reads the result $output", ({ output, expected }) => {
    expect(finished(lines(meta(), call, item({ type: "function_call_output", call_id: "c", output })))).toEqual([
      expected,
    ]);
  });

  it("counts a token count that brings no news once, and gives it to the answer it belongs to", () => {
    const tokens = (total: number): object =>
      event({
        type: "token_count",
        info: {
          total_token_usage: { total_tokens: total },
          last_token_usage: { input_tokens: total, output_tokens: 1, total_tokens: total },
        },
      });
    const { runs, report } = lines(
      meta(),
      item({ type: "message", role: "assistant", content: [{ type: "output_text", text: "a" }] }),
      tokens(10),
      tokens(10),
      item({ type: "message", role: "assistant", content: [{ type: "output_text", text: "b" }] }),
      tokens(30),
    );
    expect(
      runs[0]?.events.flatMap((event) => (event.type === "model.answered" ? [event.usage?.inputTokens] : [])),
    ).toEqual([10, 30]);
    expect(report.skipped).toEqual({ "token_count without news": 1 });
  });

  it("knows compaction, interruptions, plans and whose sub-agent it is", () => {
    const transcript = lines(
      meta({ source: { subagent: { thread_spawn: { parent_thread_id: "r0", depth: 1 } } } }),
      item({
        type: "function_call",
        name: "update_plan",
        arguments: '{"plan":[{"step":"test","status":"in_progress"}]}',
        call_id: "p",
      }),
      { timestamp: "2026-03-01T10:00:03Z", type: "compacted", payload: { message: "" } },
      event({ type: "turn_aborted", reason: "interrupted" }),
    );
    expect(transcript.runs[0]).toMatchObject({
      parent: { run: "r0" },
      ending: { reason: "cancelled", status: "turn_aborted" },
    });
    expect(typesOf(transcript)).toEqual([
      "turn.started",
      "model.answered",
      "tool.requested",
      "todos.updated",
      "context.compacted",
      "model.failed",
    ]);
  });

  it("reads rollouts from before lines had an envelope", () => {
    const transcript = lines(
      { id: "old", timestamp: "2025-05-01T10:00:00Z", instructions: null, git: {} },
      { record_type: "state" },
      { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] },
      { type: "function_call", name: "shell", arguments: "{}", call_id: "c" },
      { type: "function_call_output", call_id: "c", output: '{"output":"x","metadata":{"exit_code":1}}' },
    );
    expect(transcript.report.format).toBe("codex");
    expect(transcript.runs[0]).toMatchObject({ id: "old", task: { text: "go" } });
    expect(finished(transcript)).toMatchObject([{ exitCode: 1, output: "x" }]);
  });
});

describe("copilot-cli", () => {
  it("shows a sub-agent as a child run", () => {
    const event = (type: string, data: object, index: number): object => ({
      type,
      data,
      id: `e${String(index)}`,
      parentId: null,
      timestamp: "2026-03-01T10:00:00Z",
    });
    const transcript = lines(
      ...[
        ["session.start", { sessionId: "s" }],
        ["user.message", { content: "go" }],
        [
          "assistant.message",
          { messageId: "a", content: "", toolRequests: [{ toolCallId: "t", name: "task", arguments: {} }] },
        ],
        ["subagent.started", { toolCallId: "t", agentName: "explore", agentDescription: "Look." }],
        [
          "assistant.message",
          {
            messageId: "b",
            content: "",
            parentToolCallId: "t",
            toolRequests: [{ toolCallId: "x", name: "grep", arguments: {} }],
          },
        ],
        [
          "tool.execution_complete",
          { toolCallId: "x", parentToolCallId: "t", success: false, error: { message: "no", code: "denied" } },
        ],
        ["subagent.completed", { toolCallId: "t" }],
        ["tool.execution_complete", { toolCallId: "t", success: true, result: { content: "seen" } }],
        ["abort", { reason: "user" }],
        ["brand.new", {}],
      ].map(([type, data], index) => event(type as string, data as object, index)),
    );
    expect(
      transcript.runs.map(({ id, parent, ending }) => ({ id, call: parent?.call, reason: ending.reason })),
    ).toEqual([
      { id: "s", call: undefined, reason: "cancelled" },
      { id: "s/explore", call: "t", reason: "interrupted" },
    ]);
    expect(finished(transcript)).toMatchObject([
      { outcome: "ok", output: "seen" },
      { outcome: "denied", output: "no" },
    ]);
    expect(transcript.report.unknown).toEqual({ "brand.new": 1 });
  });
});

describe("gemini-cli", () => {
  it("takes a call the user cancelled as denied, and a call without a result as open", () => {
    const call = (id: string, more: object): object => ({ id, name: "run_shell_command", args: {}, ...more });
    const transcript = parseTranscript({
      sessionId: "s",
      projectHash: "h",
      startTime: "2026-03-01T10:00:00Z",
      messages: [
        { id: "1", type: "user", content: "go" },
        {
          id: "2",
          type: "gemini",
          content: "",
          toolCalls: [
            call("a", { status: "cancelled", resultDisplay: "no" }),
            call("b", {
              status: "success",
              result: [{ functionResponse: { response: { output: "Command: ls\nExit Code: 2" } } }],
            }),
            call("c", { status: "executing" }),
          ],
        },
        { id: "3", type: "error", content: "quota" },
      ],
    });
    expect(finished(transcript)).toMatchObject([{ outcome: "denied" }, { outcome: "error", exitCode: 2 }]);
    expect(transcript.report.unanswered).toBe(1);
    expect(typesOf(transcript)).toContain("model.failed");
  });
});

describe("a long text at the end of a run", () => {
  const secret = `key-${"s".repeat(40)}`;
  /** The secret straddles the place where formats used to cut. */
  const around = (place: number): string => `${"a".repeat(place - 20)}${secret}${"b".repeat(4000)}`;
  const redact: NonNullable<RunOptions["redact"]> = (event) =>
    JSON.parse(JSON.stringify(event).replaceAll(secret, "[secret]")) as typeof event;

  it.each([
    {
      format: "swe-agent",
      value: {
        trajectory: [{ action: "ls", observation: "a", thought: "t", response: "t" }],
        history: [],
        info: { exit_status: "submitted (exit_cost)", submission: around(2000) },
      },
    },
    {
      format: "mini-swe-agent",
      value: {
        trajectory_format: "mini-swe-agent-1",
        info: { exit_status: "LimitsExceeded", submission: around(2000) },
        messages: [{ role: "user", content: "go" }],
      },
    },
  ])("$format leaves clipping to the run, which redacts first", ({ format, value }) => {
    const { runs, report } = parseTranscript(value);
    expect(report.format).toBe(format);
    const events: RunEvent[] = [];
    for (const run of runs) playRun(run, { redact, subscribe: (step) => events.push(...step) });
    const { summary = "" } = events.find(({ type }) => type === "run.finished") as { readonly summary?: string };
    expect(summary).toMatch(/^a+/);
    expect(summary.length).toBeLessThanOrEqual(2048);
    expect(summary).not.toMatch(/key-|sss/);
  });

  it("openhands keeps the whole error as the status", () => {
    const { runs } = parseTranscript({
      instance_id: "i",
      history: [{ action: "run", source: "agent", args: { command: "ls" } }],
      error: around(200),
    });
    expect(runs[0]?.ending.status).toBe(around(200));
  });
});

describe("swe-agent", () => {
  it.each([
    { status: "submitted", reason: "interrupted" },
    { status: "submitted (exit_cost)", reason: "cost_limit" },
    { status: "exit_context", reason: "context_overflow" },
    { status: "exit_format", reason: "validation_giveup" },
    { status: "exit_forfeit", reason: "abandoned" },
    { status: "early_exit", reason: "cancelled" },
    { status: "exit_error", reason: "unknown" },
  ])("$status ends a run as $reason, without a submission", ({ status, reason }) => {
    const { runs } = parseTranscript({
      trajectory: [{ action: "ls\n", observation: "a", thought: "t", response: "t" }],
      history: [],
      info: { exit_status: status },
    });
    expect(runs[0]?.ending).toMatchObject({ status, reason });
  });

  it.each([
    {
      state: '{"open_file": "/w/sum.py", "working_dir": "/w"}',
      observation: "[File: /w/sum.py (2 lines total)]",
      call: { tool: "edit", input: { path: "/w/sum.py", lines: "1:2", new_text: "a\nb" } },
      outcome: "ok",
    },
    {
      state: { open_file: "/w/sum.py" },
      observation: "Your proposed edit has introduced new syntax error(s).",
      call: { tool: "edit" },
      outcome: "error",
    },
    {
      state: '{"open_file": "n/a"}',
      observation: "No file open.",
      call: { tool: "bash", input: { command: "edit 1:2\na\nb\nend_of_edit" } },
      outcome: "ok",
    },
    { state: undefined, observation: "", call: { tool: "bash" }, outcome: "ok" },
  ])(
    "names the file its editor has open, when the state says which ($state)",
    ({ state, observation, call, outcome }) => {
      const { runs } = parseTranscript({
        trajectory: [{ action: "edit 1:2\na\nb\nend_of_edit\n", observation, state, thought: "t", response: "t" }],
        history: [],
        info: {},
      });
      const events = runs[0]?.events ?? [];
      expect(events.find(({ type }) => type === "tool.requested")).toMatchObject(call);
      expect(events.find(({ type }) => type === "tool.finished")).toMatchObject({ outcome });
    },
  );
});

describe("pi", () => {
  it("records a command the user stopped as stopped, not as failed", () => {
    const message = (value: object) =>
      JSON.stringify({ type: "message", timestamp: "2026-03-01T10:00:00Z", message: value });
    const { runs } = parseTranscript(
      [
        JSON.stringify({ type: "session", id: "s", timestamp: "2026-03-01T10:00:00Z", cwd: "/w" }),
        message({ role: "user", content: [{ type: "text", text: "go" }] }),
        message({
          role: "assistant",
          content: [{ type: "toolCall", id: "c", name: "bash", arguments: { command: "npm test" } }],
        }),
        message({
          role: "toolResult",
          toolCallId: "c",
          toolName: "bash",
          isError: true,
          content: [{ type: "text", text: "running\n\nCommand aborted" }],
        }),
      ].join("\n"),
    );
    expect(runs[0]?.events.at(-1)).toMatchObject({ type: "tool.finished", outcome: "denied" });
  });
});

describe("atif", () => {
  it("shows the sub-agents it carries as child runs", () => {
    const transcript = parseTranscript({
      schema_version: "ATIF-v1.7",
      session_id: "p",
      agent: { name: "a", version: "1" },
      steps: [
        { step_id: 1, source: "user", message: "go" },
        {
          step_id: 2,
          source: "agent",
          message: "",
          tool_calls: [{ tool_call_id: "t", function_name: "delegate", arguments: {} }],
          observation: {
            results: [{ source_call_id: "t", content: "seen", subagent_trajectory_ref: [{ trajectory_id: "child" }] }],
          },
        },
      ],
      subagent_trajectories: [
        {
          schema_version: "ATIF-v1.7",
          trajectory_id: "child",
          agent: { name: "b", version: "1" },
          steps: [
            { step_id: 1, source: "user", message: "look" },
            { step_id: 2, source: "agent", message: "Seen." },
          ],
        },
      ],
    });
    expect(transcript.runs.map(({ id, parent }) => [id, parent])).toEqual([
      ["p", undefined],
      ["child", { run: "p", call: "t" }],
    ]);
    expect(typesOf(transcript)).toEqual([
      "message.received",
      "turn.started",
      "model.answered",
      "tool.requested",
      "child.started",
      "child.progressed",
      "child.finished",
      "tool.finished",
    ]);
  });
});

describe("spans", () => {
  const span = (
    [id, parent]: readonly [string, string?],
    [name, start]: readonly [string, number],
    attributes: Readonly<Record<string, string | number>>,
  ): object => ({
    traceId: "t",
    spanId: id,
    ...(parent !== undefined && { parentSpanId: parent }),
    name,
    startTimeUnixNano: String(1_772_359_200_000_000_000n + BigInt(start) * 1_000_000n),
    endTimeUnixNano: String(1_772_359_200_000_000_000n + BigInt(start + 5) * 1_000_000n),
    attributes: Object.entries(attributes).map(([key, value]) => ({
      key,
      value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
    })),
  });
  const otlp = (...spans: readonly object[]): Transcript =>
    parseTranscript({ resourceSpans: [{ scopeSpans: [{ spans }] }] });

  it("show an agent inside another as a child run, and only the innermost of nested model spans as an answer", () => {
    const transcript = otlp(
      span(["m2", "inner"], ["ai.generateText.doGenerate", 30], {
        "ai.operationId": "ai.generateText.doGenerate",
        "ai.response.text": "Seen.",
        "ai.usage.inputTokens": 7,
      }),
      span(["root"], ["outer", 0], { "openinference.span.kind": "AGENT", "input.value": "go" }),
      span(["m1", "root"], ["chat", 10], {
        "gen_ai.operation.name": "chat",
        "gen_ai.completion.0.content": "I ask.",
        "gen_ai.usage.input_tokens": 3,
      }),
      span(["inner", "root"], ["ai.generateText", 20], {
        "ai.operationId": "ai.generateText",
        "ai.prompt": '{"prompt":"look"}',
      }),
    );
    expect(
      transcript.runs.map(({ agent, task, events }) => [
        agent,
        task?.text,
        events.filter(({ type }) => type === "model.answered").length,
      ]),
    ).toEqual([
      ["outer", "go", 1],
      ["ai.generateText", "look", 1],
    ]);
    expect(transcript.report.childRuns).toBe(1);
  });

  it("do not take an answer without texts for an empty one", () => {
    const transcript = otlp(
      span(["a"], ["agent", 0], { "gen_ai.operation.name": "invoke_agent" }),
      span(["m1", "a"], ["chat", 10], { "gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 3 }),
      span(["t", "a"], ["execute_tool", 20], { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search" }),
      span(["m2", "a"], ["chat", 30], { "gen_ai.operation.name": "chat", "gen_ai.response.finish_reasons": "stop" }),
    );
    expect(transcript.runs[0]?.ending.reason).toBeUndefined();
    expect(typesOf(transcript).at(-1)).toBe("finish.requested");
    const answers = transcript.runs[0]!.events.filter(({ type }) => type === "model.answered");
    expect(answers.map((answer) => "textLength" in answer)).toEqual([false, false]);
  });

  it.each([
    [{ "phasekit.reason": "aborted_stagnation", "gen_ai.agent.finish_reason": "guardrail" }, "aborted_stagnation"],
    [{ "gen_ai.agent.finish_reason": "max_iterations" }, "turn_limit"],
    [{ "gen_ai.agent.finish_reason": "guardrail" }, "policy_stop"],
    [{ "phasekit.reason": "of another version" }, undefined],
  ])("say why an agent ended: %j", (attributes, reason) => {
    const transcript = otlp(
      span(["a"], ["agent", 0], { "gen_ai.operation.name": "invoke_agent", ...attributes }),
      span(["m", "a"], ["chat", 10], { "gen_ai.operation.name": "chat" }),
    );
    expect(transcript.runs[0]?.ending.reason).toBe(reason);
  });

  it("know a failed call by its error type", () => {
    const transcript = otlp(
      span(["a"], ["agent", 0], { "gen_ai.operation.name": "invoke_agent" }),
      span(["t", "a"], ["execute_tool", 20], {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search",
        "error.type": "timeout",
      }),
    );
    expect(finished(transcript)).toMatchObject([{ outcome: "error", output: "timeout" }]);
  });

  it("keep a failed model call, a tool without a call, and a missing parent", () => {
    const failed = {
      ...span(["m", "gone"], ["chat", 1], { "openinference.span.kind": "LLM" }),
      status: { code: 2, message: "overloaded" },
    };
    const transcript = otlp(
      failed,
      span(["s", "gone"], ["search", 2], {
        "openinference.span.kind": "TOOL",
        "input.value": '{"q":1}',
        "output.value": '{"exitCode":3}',
      }),
    );
    expect(typesOf(transcript)).toEqual(["model.failed", "tool.requested", "tool.finished"]);
    expect(finished(transcript)).toMatchObject([{ exitCode: 3, durationMs: 5 }]);
  });
});

describe("a log of Phasekit", () => {
  it("reads host events with their meaning and skips derived events and events after the end", () => {
    const transcript = lines(
      { k: "^", v: 1, run: "r", epoch: 1, part: 1, writer: "w", at: 1, after: 0 },
      {
        type: "run.started",
        seq: 1,
        at: 1,
        run: "r",
        phase: "working",
        mode: "nudge",
        attempt: 1,
        policies: [],
        interpreters: [],
      },
      { type: "tool.requested", seq: 2, at: 2, call: "c", tool: "read", input: {}, meaning: { activity: "read" } },
      { type: "tool.refused", seq: 3, at: 2, cause: 2, by: "p", tool: "read", text: "no", applied: true },
      { k: "#", s: 3, n: 3, w: 0, c: 1 },
      {
        type: "run.finished",
        seq: 4,
        at: 3,
        reason: "cancelled",
        verified: false,
        phase: "working",
        outcome: "failed",
      },
      { type: "turn.started", seq: 5, at: 4 },
      { type: "future.event", seq: 6, at: 4 },
    );
    expect(transcript.report).toMatchObject({
      format: "phasekit",
      skipped: { "segment line": 2, "derived event": 1, "event after the end": 1 },
      unknown: { "future.event": 1 },
    });
    expect(transcript.runs[0]).toMatchObject({
      id: "r",
      events: [{ type: "tool.requested", meaning: { activity: "read" } }],
      ending: { reason: "cancelled" },
    });
  });
});

describe("openhands", () => {
  it("distinguishes a call that was never made from one that failed", () => {
    const transcript = parseTranscript({
      trajectory: [
        { id: 1, source: "user", action: "message", args: { content: "go" } },
        { id: 2, source: "agent", action: "edit", args: { path: "a", thought: "I edit." } },
        {
          id: 3,
          source: "agent",
          observation: "edit",
          cause: 2,
          content: "ERROR:\nNo replacement was performed",
          extras: {},
        },
        { id: 4, source: "agent", observation: "error", content: "Missing parameter", extras: {} },
        { id: 5, source: "agent", action: "levitate", args: {} },
        {
          id: 6,
          source: "environment",
          observation: "agent_state_changed",
          content: "",
          extras: { agent_state: "error" },
        },
      ],
    });
    expect(finished(transcript)).toMatchObject([{ outcome: "error" }]);
    expect(typesOf(transcript)).toContain("validation.failed");
    expect(transcript.report.unknown).toEqual({ "action levitate": 1 });
    expect(transcript.runs[0]?.ending).toMatchObject({ reason: "unknown", status: "error" });
  });
});
