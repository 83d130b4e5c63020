import { describe, expect, it } from "vitest";
import { parseTranscript } from "../../translation.ts";

let lines = 0;
const line = (type: string, message: object | undefined, more: object = {}): object => ({
  type,
  uuid: `u${String((lines += 1))}`,
  parentUuid: `u${String(lines - 1)}`,
  sessionId: "s1",
  version: "2",
  cwd: "/repo",
  isSidechain: false,
  timestamp: new Date(1_772_359_200_000 + lines * 1000).toISOString(),
  ...(message !== undefined && { message }),
  ...more,
});
const user = (content: unknown, more?: object): object => line("user", { role: "user", content }, more);
const assistant = (id: string, content: readonly object[], more: object = {}): object =>
  line(
    "assistant",
    { id, role: "assistant", model: "claude-test-1", content, usage: { input_tokens: 10, output_tokens: 5 } },
    more,
  );
const call = (id: string, name: string, input: object = {}): object => ({ type: "tool_use", id, name, input });
const result = (id: string, content: unknown, more: object = {}): object => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...more,
});
const text = (said: string): object => ({ type: "text", text: said });
const read = (...values: readonly object[]) => parseTranscript(values.map((value) => JSON.stringify(value)).join("\n"));
const typesOf = (run: { readonly events: readonly { readonly type: string }[] } | undefined): readonly string[] =>
  run?.events.map(({ type }) => type) ?? [];

describe("claude-code", () => {
  it("makes one answer of all lines of a message, with the last usage, whatever comes between them", () => {
    const { runs } = read(
      user("go"),
      assistant("m1", [call("a", "Read")]),
      user([result("a", "1")]),
      assistant("m1", [call("b", "Read")]),
      user([result("b", "2")]),
      assistant("m2", [text("Done.")]),
    );
    expect(typesOf(runs[0])).toEqual([
      "message.received",
      "turn.started",
      "model.answered",
      "tool.requested",
      "tool.requested",
      "tool.finished",
      "tool.finished",
      "turn.started",
      "model.answered",
      "message.sent",
      "finish.requested",
    ]);
    expect(runs[0]?.events[2]).toMatchObject({ toolCalls: 2, usage: { inputTokens: 10, outputTokens: 5 } });
  });

  it("counts what was read from and written to the cache as input", () => {
    const { runs } = read(
      user("go"),
      line("assistant", {
        id: "m1",
        role: "assistant",
        content: [text("hi")],
        usage: { input_tokens: 3, cache_read_input_tokens: 100, cache_creation_input_tokens: 20, output_tokens: 7 },
      }),
    );
    expect(runs[0]?.events[2]).toMatchObject({
      usage: { inputTokens: 123, cachedInputTokens: 100, cacheWriteTokens: 20, outputTokens: 7 },
    });
  });

  it.each([
    {
      name: "a failure with its exit code",
      content: "Exit code 2\nboom",
      more: { is_error: true },
      expected: { outcome: "error", exitCode: 2 },
    },
    {
      name: "a denial",
      content: "The user doesn't want to proceed with this tool use. The tool use was rejected",
      more: { is_error: true },
      expected: { outcome: "denied" },
    },
    {
      name: "an error of the tool",
      content: "<tool_use_error>File has not been read yet.</tool_use_error>",
      more: { is_error: true },
      expected: { outcome: "error" },
    },
    {
      name: "a command that is not an error as one that ended with 0",
      content: "ok",
      more: { is_error: false },
      expected: { outcome: "ok", exitCode: 0 },
    },
    {
      name: "a command in the background without an exit code",
      content: "Command running in background with ID: b1. Output is being written to: /tmp/b1.output",
      more: {},
      expected: { outcome: "ok", exitCode: undefined },
    },
    {
      name: "a success that mentions an exit code",
      content: "Exit code 2",
      more: {},
      expected: { outcome: "ok", exitCode: undefined },
    },
  ])("reads $name", ({ content, more, expected }) => {
    const { runs } = read(user("go"), assistant("m1", [call("a", "Bash")]), user([result("a", content, more)]));
    const { outcome, exitCode } = runs[0]?.events.find((event) => event.type === "tool.finished") ?? {};
    expect({ outcome, exitCode }).toEqual({ exitCode: undefined, ...expected });
  });

  it("reads the explained code of a search without a match as 1", () => {
    const about = { toolUseResult: { stdout: "", returnCodeInterpretation: "No matches found" } };
    const { runs } = read(user("go"), assistant("m1", [call("a", "Bash")]), user([result("a", "")], about));
    expect(runs[0]?.events.find((event) => event.type === "tool.finished")).toMatchObject({
      outcome: "ok",
      exitCode: 1,
    });
  });

  it("gives other tools no exit code", () => {
    const { runs } = read(user("go"), assistant("m1", [call("a", "Read")]), user([result("a", "text")]));
    expect(runs[0]?.events.find((event) => event.type === "tool.finished")).not.toHaveProperty("exitCode");
  });

  it("shows a sub-agent in the same file as a child run of the call whose prompt it got", () => {
    const side = { isSidechain: true };
    const { runs, report } = read(
      user("go"),
      assistant("m1", [call("task", "Task", { prompt: "Look around." })]),
      user("Look around.", { ...side, uuid: "s1", parentUuid: null }),
      assistant("m2", [call("x", "Grep")], { ...side, uuid: "s2", parentUuid: "s1" }),
      user([result("x", "found")], { ...side, uuid: "s3", parentUuid: "s2" }),
      assistant("m3", [text("It is there.")], { ...side, uuid: "s4", parentUuid: "s3" }),
      user([result("task", "It is there.")]),
      assistant("m4", [text("Done.")]),
    );
    expect(report).toMatchObject({ runs: 2, childRuns: 1, calls: 2, results: 2, orphans: 0 });
    const [parent, child] = runs;
    expect(typesOf(parent)).toEqual([
      "message.received",
      "turn.started",
      "model.answered",
      "tool.requested",
      "child.started",
      "child.progressed",
      "child.progressed",
      "child.finished",
      "tool.finished",
      "turn.started",
      "model.answered",
      "message.sent",
      "finish.requested",
    ]);
    expect(child).toMatchObject({ parent: { run: "s1", call: "task" }, task: { text: "Look around." } });
    expect(typesOf(child)).toEqual([
      "turn.started",
      "model.answered",
      "tool.requested",
      "tool.finished",
      "turn.started",
      "model.answered",
      "message.sent",
      "finish.requested",
    ]);
    expect(parent?.events[5]).toMatchObject({ child: child?.id, toolCalls: 1, usage: { inputTokens: 10 } });
  });

  it("distinguishes two parallel sub-agents by their ids and by the lines they follow", () => {
    const side = (agentId: string): object => ({ isSidechain: true, agentId });
    const { runs } = read(
      user("go"),
      assistant("m1", [call("t1", "Task", { prompt: "one" }), call("t2", "Task", { prompt: "two" })]),
      user("one", side("a1")),
      user("two", side("a2")),
      assistant("m2", [call("x1", "Read")], side("a1")),
      assistant("m3", [call("x2", "Grep")], side("a2")),
      user([result("x2", "2")], side("a2")),
      user([result("x1", "1")], side("a1")),
      user([result("t1", "r1")]),
      user([result("t2", "r2")]),
    );
    expect(
      runs.map(({ id, parent, events }) => [
        id,
        parent?.call,
        events.find((event) => event.type === "tool.requested")?.tool,
      ]),
    ).toEqual([
      ["s1", undefined, "Task"],
      ["s1/a1", "t1", "Read"],
      ["s1/a2", "t2", "Grep"],
    ]);
  });

  it("reads a sub-agent from progress lines", () => {
    const progress = (message: object): object =>
      line("progress", undefined, {
        parentToolUseID: "t1",
        data: { type: "agent_progress", agentId: "a9", prompt: "Look.", message },
      });
    const { runs, report } = read(
      user("go"),
      assistant("m1", [call("t1", "Agent", { prompt: "Look." })]),
      progress({ type: "user", message: { role: "user", content: "Look." } }),
      progress({ type: "assistant", message: { id: "n1", role: "assistant", content: [call("x", "Read")] } }),
      progress({ type: "user", message: { role: "user", content: [result("x", "text")] } }),
      user([result("t1", "ok")]),
    );
    expect(runs[1]).toMatchObject({ id: "s1/a9", parent: { run: "s1", call: "t1" }, task: { text: "Look." } });
    expect(report).toMatchObject({ calls: 2, results: 2 });
  });

  it("records the cost of a sub-agent whose lines are in another file", () => {
    const { runs } = read(
      user("go"),
      assistant("m1", [call("t1", "Task", { prompt: "Look." })]),
      user([result("t1", "Seen.")], {
        toolUseResult: {
          agentId: "a5",
          prompt: "Look.",
          totalToolUseCount: 3,
          usage: { input_tokens: 70, output_tokens: 9 },
        },
      }),
    );
    expect(runs).toHaveLength(1);
    expect(runs[0]?.events.filter(({ type }) => type.startsWith("child."))).toMatchObject([
      { type: "child.started", child: "s1/a5", call: "t1", task: "Look." },
      { type: "child.progressed", child: "s1/a5", toolCalls: 3, usage: { inputTokens: 70, outputTokens: 9 } },
      { type: "child.finished", child: "s1/a5", reason: "done" },
    ]);
    expect(typesOf(runs[0]).at(-1)).toBe("tool.finished");
  });

  it("counts the edits of a sub-agent whose lines are in another file as a change", () => {
    const toolUseResult = { agentId: "a5", toolStats: { readCount: 2, editFileCount: 3 } };
    const { runs } = read(
      user("go"),
      assistant("m1", [call("t1", "Task", { prompt: "Change it." })]),
      user([result("t1", "Changed.")], { toolUseResult }),
    );
    expect(runs[0]?.events.find(({ type }) => type === "child.finished")).toMatchObject({ changed: [""] });
  });

  it("follows a sub-agent in the background until the session hears of its end", () => {
    const launch = [
      user("go"),
      assistant("m1", [call("t1", "Task", { prompt: "Change it." })]),
      user([result("t1", "Launched.")], { toolUseResult: { agentId: "a5", status: "async_launched" } }),
      assistant("m2", [text("I wait for it.")], { message: { id: "m2", stop_reason: "end_turn" } }),
    ];
    const told = user("<task-notification>\n<task-id>a5</task-id>\n<status>completed</status>\n<summary>x</summary>");
    const children = (lines: readonly object[]): readonly unknown[] =>
      (read(...lines).runs[0]?.events ?? []).flatMap(({ type }) => (type.startsWith("child.") ? [type] : []));
    expect(children(launch)).toEqual(["child.started"]);
    expect(read(...launch).runs[0]?.ending).toMatchObject({ reason: "interrupted" });
    expect(children([...launch, told])).toEqual(["child.started", "child.finished"]);
    // Nobody asked for anything but the first prompt.
    const asked = read(...launch, told).runs[0]?.events.filter(({ type }) => type === "message.received");
    expect(asked).toMatchObject([{ text: "go" }]);
  });

  it("names a file of a sub-agent alone after its session, and says whose child it is", () => {
    const { runs } = read(
      user("Look.", { isSidechain: true, agentId: "a7" }),
      assistant("m1", [text("Seen.")], { isSidechain: true, agentId: "a7" }),
    );
    expect(runs).toHaveLength(1);
    expect(runs[0]).toMatchObject({ id: "s1/a7", parent: { run: "s1" }, task: { text: "Look." } });
  });

  it("records a compaction, and does not take its summary for a message", () => {
    const { runs, report } = read(
      user("go"),
      assistant("m1", [text("Hm.")]),
      line("system", undefined, {
        subtype: "compact_boundary",
        compactMetadata: { trigger: "auto", preTokens: 150_000 },
      }),
      user("This session is being continued.", { isCompactSummary: true }),
      assistant("m2", [text("Done.")]),
    );
    expect(runs[0]?.events.filter(({ type }) => type === "context.compacted")).toEqual([
      { type: "context.compacted", trigger: "auto", tokensBefore: 150_000, at: expect.any(Number) as number },
    ]);
    expect(typesOf(runs[0]).filter((type) => type === "message.received")).toHaveLength(1);
    expect(report.skipped).toEqual({ "summary after compaction": 1 });
  });

  it("takes the first text as the task, all as messages, and leaves out what the tool and Phasekit say", () => {
    const { runs, report } = read(
      user("Caveat: do not", { isMeta: true }),
      user("<command-name>/clear</command-name>"),
      user("<local-command-stdout></local-command-stdout>"),
      user("Fix it."),
      assistant("m1", [text("Done.")]),
      user("<phasekit>\nRun the tests.\n</phasekit>"),
      assistant("m2", [text("Did.")]),
      user("And that."),
      assistant("m3", [text("OK.")]),
    );
    expect(runs[0]?.task).toEqual({ text: "Fix it." });
    expect(runs[0]?.events.filter(({ type }) => type === "message.received")).toMatchObject([
      { text: "Fix it.", from: "user" },
      { text: "And that.", from: "user" },
    ]);
    expect(typesOf(runs[0]).filter((type) => type === "finish.requested")).toHaveLength(3);
    expect(report.skipped).toMatchObject({ "meta message": 1, "local command": 1 });
  });

  it("takes a slash command as what the user said when the agent answers it", () => {
    const { runs } = read(
      user(
        "<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>src</command-args>",
      ),
      assistant("m1", [text("Reviewed.")]),
    );
    expect(runs[0]?.task).toEqual({ text: "/review src" });
  });

  it("ends as cancelled after an interruption, as interrupted if the log stops, without a reason if done", () => {
    const stopped = read(
      user("go"),
      assistant("m1", [call("a", "Bash")]),
      user([text("[Request interrupted by user for tool use]")]),
    );
    expect(stopped.runs[0]?.ending).toMatchObject({ reason: "cancelled" });
    expect(stopped.report.unanswered).toBe(1);
    expect(read(user("go"), assistant("m1", [call("a", "Bash")])).runs[0]?.ending).toMatchObject({
      reason: "interrupted",
    });
    expect(read(user("go"), assistant("m1", [text("Done.")])).runs[0]?.ending.reason).toBeUndefined();
  });

  it("reads records that were copied into a resumed session once", () => {
    const first = user("go");
    const answer = assistant("m1", [call("a", "Read")]);
    const { report } = read(first, answer, first, answer, user([result("a", "x")]));
    expect(report).toMatchObject({ calls: 1, results: 1, skipped: { "record given twice": 2 } });
  });

  it("counts unknown lines and continues", () => {
    const { report, runs } = read(
      user("go"),
      { type: "hologram", uuid: "h", sessionId: "s1" },
      { no: "type" },
      assistant("m1", [{ type: "telepathy" }, text("Done.")]),
    );
    expect(report.unknown).toEqual({ hologram: 1, "line without a type": 1, "block telepathy": 1 });
    expect(typesOf(runs[0])).toContain("finish.requested");
  });

  it("notes todos, and failures of the model", () => {
    const { runs } = read(
      user("go"),
      assistant("m1", [call("a", "TodoWrite", { todos: [{ content: "test", status: "pending" }] })]),
      line(
        "assistant",
        { id: "e", role: "assistant", model: "<synthetic>", content: [text("API Error: 529")] },
        { isApiErrorMessage: true, error: "overloaded" },
      ),
    );
    expect(runs[0]?.events.find(({ type }) => type === "todos.updated")).toMatchObject({
      todos: [{ text: "test", status: "pending" }],
    });
    expect(runs[0]?.events.find(({ type }) => type === "model.failed")).toMatchObject({
      code: "overloaded",
      message: "API Error: 529",
    });
  });

  it("takes prompts written while the agent works as messages of the user, once", () => {
    const queue = (operation: string, content?: string): object => ({
      type: "queue-operation",
      operation,
      sessionId: "s",
      timestamp: "2026-03-01T10:00:30Z",
      ...(content !== undefined && { content }),
    });
    const { runs } = read(
      user("go"),
      assistant("m1", [call("a", "Read")]),
      queue("enqueue", "And push it."),
      queue("enqueue", '{"task_id":"b1","status":"completed"}'),
      user([result("a", "1")]),
      queue("remove"),
      queue("remove"),
      line("attachment", undefined, { attachment: { type: "queued_command", prompt: "And push it." } }),
      assistant("m2", [text("Done.")]),
      queue("enqueue", "Thanks."),
      queue("dequeue"),
      user("Thanks."),
      assistant("m3", [text("OK.")]),
    );
    const messages = runs[0]?.events.flatMap((event) => (event.type === "message.received" ? [event] : []));
    expect(messages).toMatchObject([{ text: "go" }, { text: "And push it." }, { text: "Thanks." }]);
  });

  it("reads what an answer cost, and its thinking", () => {
    const { runs } = read(
      user("go"),
      line(
        "assistant",
        {
          id: "m1",
          role: "assistant",
          content: [{ type: "thinking", thinking: "Hm." }, text("Done.")],
          usage: { input_tokens: 3, output_tokens: 7, output_tokens_details: { thinking_tokens: 4 } },
        },
        { costUSD: 0.02 },
      ),
    );
    expect(runs[0]?.events.slice(2, 5)).toMatchObject([
      { type: "model.answered", usage: { inputTokens: 3, outputTokens: 7, reasoningTokens: 4, cost: 0.02 } },
      { type: "model.reasoned", text: "Hm." },
      { type: "message.sent", text: "Done." },
    ]);
  });

  it("does not take the beginning of an answer for an empty one", () => {
    const thinking = line("assistant", { id: "m1", role: "assistant", content: [{ type: "thinking", thinking: "" }] });
    expect(read(user("go"), thinking).runs[0]?.ending.reason).toBe("interrupted");
  });
});
