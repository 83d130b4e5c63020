import { describe, expect, it } from "vitest";
import { parseTranscript, type RecordedRun } from "../src/index.ts";

const ask = { role: "user", content: "go" };

describe("a last answer that is not whole", () => {
  it.each([
    {
      name: "chat completion, cut off",
      format: "openai-messages",
      value: {
        messages: [ask],
        response: { choices: [{ message: { role: "assistant", content: "I" }, finish_reason: "length" }] },
      },
      reason: "answer_truncated",
    },
    {
      name: "messages of Anthropic, refused",
      format: "anthropic-messages",
      value: [ask, { role: "assistant", content: [{ type: "text", text: "I" }], stop_reason: "refusal" }],
      reason: "content_filtered",
    },
    {
      name: "a response that is incomplete",
      format: "openai-responses",
      value: [
        ask,
        {
          object: "response",
          status: "incomplete",
          incomplete_details: { reason: "max_output_tokens" },
          output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "I" }] }],
        },
      ],
      reason: "answer_truncated",
    },
  ])("$name: $reason", ({ value, format, reason }) => {
    const { runs } = parseTranscript(value, { format });
    expect(runs[0]?.ending.reason).toBe(reason);
  });

  it("is forgotten when the user speaks again", () => {
    const messages = [
      ask,
      { role: "assistant", content: [{ type: "text", text: "I" }], stop_reason: "max_tokens" },
      { role: "user", content: [{ type: "text", text: "Continue." }] },
    ];
    const { runs } = parseTranscript(messages, { format: "anthropic-messages" });
    expect(runs[0]?.ending.reason).toBe("interrupted");
    expect(movesOf(runs[0])).toEqual(["suspend", "resume"]);
  });
});

const movesOf = (run: RecordedRun | undefined): readonly string[] =>
  run?.events.flatMap((event) => (event.type === "move.requested" ? [event.do] : [])) ?? [];

describe("opencode", () => {
  const message = (role: string, parts: readonly object[], more: object = {}): object => ({
    info: { role, time: { created: 1_760_000_000_000 }, ...more },
    parts,
  });
  const answered = {
    finish: "stop",
    tokens: { input: 10, output: 3, reasoning: 7, cache: { read: 5, write: 0 } },
    cost: 0.5,
  };

  it("reads a compaction, does not take its summary for an answer, and counts reasoning", () => {
    const { runs, report } = parseTranscript(
      JSON.stringify({
        info: { id: "ses_1" },
        messages: [
          message("user", [{ type: "text", text: "go" }]),
          message(
            "assistant",
            [
              { type: "reasoning", text: "Hm." },
              { type: "text", text: "Done." },
            ],
            answered,
          ),
          message("user", [{ type: "compaction", auto: true }]),
          message("assistant", [{ type: "text", text: "So far: nothing." }], { ...answered, summary: true }),
          message("user", [{ type: "text", text: "And now?" }]),
          message("assistant", [{ type: "text", text: "OK." }], answered),
        ],
      }),
    );
    expect(report.unknown).toEqual({});
    const events = runs[0]?.events ?? [];
    expect(events.filter(({ type }) => type === "context.compacted")).toMatchObject([{ trigger: "auto" }]);
    expect(events.filter(({ type }) => type === "model.reasoned")).toMatchObject([{ text: "Hm." }]);
    expect(events.flatMap((event) => (event.type === "finish.requested" ? [event.text] : []))).toEqual([
      "Done.",
      "OK.",
    ]);
    expect(events.flatMap((event) => (event.type === "model.answered" ? [event.usage] : []))).toMatchObject(
      Array.from({ length: 3 }, () => ({ inputTokens: 15, outputTokens: 10, reasoningTokens: 7, cost: 0.5 })),
    );
  });
});

describe("a message that is said twice", () => {
  it("codex: counts once if the log has it twice, and twice if the user said it twice", () => {
    const item = (payload: object): object => ({ timestamp: "2026-03-01T10:00:01Z", type: "response_item", payload });
    const event = (payload: object): object => ({ timestamp: "2026-03-01T10:00:01Z", type: "event_msg", payload });
    const user = [
      item({ type: "message", role: "user", content: [{ type: "input_text", text: "Continue." }] }),
      event({ type: "user_message", message: "Continue." }),
    ];
    const answer = item({ type: "message", role: "assistant", content: [{ type: "output_text", text: "Yes." }] });
    const { runs } = parseTranscript([...user, answer, ...user, answer].map((line) => JSON.stringify(line)).join("\n"));
    expect(runs[0]?.events.filter(({ type }) => type === "message.received")).toHaveLength(2);
  });
});
