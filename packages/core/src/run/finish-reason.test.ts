import { describe, expect, it } from "vitest";
import { normalizeFinishReason } from "./finish-reason.ts";
import { createRun, type Run } from "./run.ts";
import { vouch } from "../policies/decision.ts";
import { definePolicy } from "../policies/policy.ts";
import { nameTableInterpreter } from "../ingest/name-table-interpreter.ts";
import type { NewEvent } from "../events/run-event.ts";

describe("normalizeFinishReason", () => {
  it.each([
    ["stop", "stop"],
    ["STOP", "stop"],
    ["end_turn", "stop"],
    ["endTurn", "stop"],
    ["stop_sequence", "stop"],
    ["completed", "stop"],
    ["tool_calls", "tool-calls"],
    ["tool-calls", "tool-calls"],
    ["toolUse", "tool-calls"],
    ["pause_turn", "tool-calls"],
    ["function_call", "tool-calls"],
    ["length", "length"],
    ["max_tokens", "length"],
    ["MAX_TOKENS", "length"],
    ["max_output_tokens", "length"],
    ["content_filter", "content-filter"],
    ["content-filter", "content-filter"],
    ["SAFETY", "content-filter"],
    ["PROHIBITED_CONTENT", "content-filter"],
    ["refusal", "content-filter"],
    ["model_context_window_exceeded", "context"],
    ["MALFORMED_FUNCTION_CALL", "malformed-call"],
    ["error", "error"],
    ["cancelled", "cancelled"],
    ["unknown", "unknown"],
    ["other", "unknown"],
    ["OTHER", "unknown"],
    ["", "unknown"],
    ["constructor", "unknown"],
  ])("translates %j to %j", (word, expected) => {
    expect(normalizeFinishReason(word)).toBe(expected);
    if (expected !== "unknown") expect(normalizeFinishReason(expected)).toBe(expected);
  });
});

const vouching = definePolicy({ name: "vouching", decide: { "finish.requested": () => vouch() } });
const answer = (finishReason: string | undefined, members: object = {}): NewEvent => ({
  type: "model.answered",
  ...(finishReason !== undefined && { finishReason }),
  textLength: 5,
  toolCalls: 0,
  ...members,
});

function endAfter(events: readonly NewEvent[], end: Parameters<Run["end"]>[0] = {}): Run["outcome"] {
  const run = createRun({ policies: [vouching], interpret: nameTableInterpreter() });
  run.beforeTurn();
  for (const event of events) run.record(event);
  run.end(end);
  return run.outcome;
}

describe("a run whose last answer", () => {
  it.each([
    ["is complete", "stop", "done"],
    ["has no finish reason", undefined, "done"],
    ["asks for tools", "tool_use", "step_limit"],
    ["was cut at the token limit", "max_tokens", "answer_truncated"],
    ["was filtered", "SAFETY", "content_filtered"],
    ["was refused", "refusal", "content_filtered"],
    ["did not fit the context", "model_context_window_exceeded", "context_overflow"],
    ["has a call that cannot be read", "MALFORMED_FUNCTION_CALL", "function_call_failed"],
    ["is an error", "error", "upstream_unhealthy"],
    ["was given up", "cancelled", "interrupted"],
    ["ended for an unknown reason", "who knows", "finish_unknown"],
  ])("%s (%s) ends as %s", (_what, word, reason) => {
    const outcome = endAfter([answer(word)]);
    expect(outcome).toMatchObject({ reason, verified: reason === "done" });
  });

  it("is empty ends as answer_empty", () => {
    expect(endAfter([answer("stop", { textLength: 0 })])).toMatchObject({ reason: "answer_empty", verified: false });
  });

  it("was cut off does not end as done because the host says so", () => {
    expect(endAfter([answer("length")], { reason: "done" })?.reason).toBe("answer_truncated");
  });

  it("was cut off ends for the reason the host gives, if that is not done", () => {
    expect(endAfter([answer("length")], { reason: "cancelled" })?.reason).toBe("cancelled");
  });

  it.each<readonly [string, readonly NewEvent[]]>([
    ["a later answer is complete", [answer("length"), answer("stop")]],
    ["the text came as a message", [answer("stop", { textLength: 0 }), { type: "message.sent", text: "Done." }]],
    ["the host did not count its text", [{ type: "model.answered", finishReason: "stop" }]],
    [
      "a call handed the work in",
      [
        answer("tool-calls", { textLength: 0, toolCalls: 1 }),
        { type: "tool.finished", tool: "submit", outcome: "ok" },
        answer("stop", { textLength: 0 }),
      ],
    ],
  ])("ends as done if %s", (_why, events) => {
    expect(endAfter(events)?.reason).toBe("done");
  });

  it("asks for tools ends as done if the host asked for the finish, or says so", () => {
    const run = createRun();
    run.beforeTurn();
    run.record(answer("tool_use"));
    run.beforeFinish();
    run.end();
    expect(run.outcome?.reason).toBe("done");
    expect(endAfter([answer("tool_use")], { reason: "done" })?.reason).toBe("done");
  });

  it("asks for tools and hands the work in ends as done", () => {
    const submit: NewEvent = { type: "tool.finished", tool: "submit", outcome: "ok" };
    expect(endAfter([answer("tool_use"), submit])?.reason).toBe("done");
    expect(endAfter([answer("tool_use"), { ...submit, tool: "look" }])?.reason).toBe("step_limit");
  });

  it("was cut off is not verified in the answer to beforeFinish either", () => {
    const run = createRun({ policies: [vouching] });
    run.beforeTurn();
    run.record(answer("length"));
    expect(run.beforeFinish({ text: "I have" })).toMatchObject({ accept: true, verified: false });
  });
});

describe("a run whose last call the host gave up", () => {
  it.each([
    ["nothing is thrown", {}],
    ["the library throws an error of its own", { error: new Error("No output generated.") }],
  ])("ends as interrupted if %s", (_what, end) => {
    expect(endAfter([{ type: "model.failed", code: "aborted", message: "aborted" }], end)?.reason).toBe("interrupted");
  });

  it("ends for what the thrown error says, if it says something", () => {
    const error = Object.assign(new Error("slow down"), { status: 429 });
    expect(endAfter([{ type: "model.failed", code: "aborted" }], { error })?.reason).toBe("rate_limit");
  });
});
