import { playRun } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { createTranslation, parseTranscript, renderTranscriptReport } from "../src/index.ts";
import { detectFormat } from "../src/detect-format.ts";

const line = (value: object): string =>
  JSON.stringify({
    sessionId: "s",
    uuid: JSON.stringify(value).slice(0, 40) + String(Math.abs(JSON.stringify(value).length)),
    timestamp: "2026-03-01T10:00:00Z",
    ...value,
  });
const user = (content: unknown): string => line({ type: "user", message: { role: "user", content } });
const assistant = (id: string, content: readonly object[]): string =>
  line({ type: "assistant", message: { id, role: "assistant", content } });
const done = assistant("last", [{ type: "text", text: "Done." }]);
const parse = (...lines: readonly string[]) => parseTranscript(lines.join("\n"));
// eslint-disable-next-line no-control-regex -- these are what must not come through
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

describe("hostile transcripts", () => {
  it("carry terminal sequences only where the agent wrote them, never into a report", () => {
    const evil = "\u001b]0;owned\u0007\u001b[2J\u001b]8;;http://evil\u0007click\u202e";
    const { runs, report } = parse(
      user(`go ${evil}`),
      line({ type: evil }),
      assistant("m1", [{ type: evil }, { type: "tool_use", id: evil, name: evil, input: { command: evil } }]),
      `{"type":"${evil}`,
      done,
    );
    expect(renderTranscriptReport(report)).not.toMatch(CONTROL);
    expect(JSON.stringify(report)).not.toMatch(CONTROL);
    expect(runs[0]?.events.some((event) => event.type === "tool.requested" && event.tool === evil)).toBe(true);
  });

  it("are data: markup is neither changed nor run, and a run made from it keeps it as text", () => {
    const html = '<script>globalThis.owned = true</script><img src=x onerror="globalThis.owned = true">';
    const { runs } = parse(
      user(html),
      assistant("m1", [{ type: "tool_use", id: "c", name: html, input: { [html]: html } }]),
      user([{ type: "tool_result", tool_use_id: "c", content: html }]),
      done,
    );
    expect(runs[0]?.task?.text).toBe(html);
    expect(playRun(runs[0]!).outcome?.reason).toBe("done");
    expect("owned" in globalThis).toBe(false);
  });

  it.each([
    { name: "broken JSON", bad: '{"type":"user","message":{"role":', broken: "broken JSON" },
    { name: "NUL blocks", bad: "\u0000".repeat(4096), broken: "NUL characters" },
    { name: "binary noise", bad: "\u0001\u0002\ufffd\ufffd{{{{[[[[", broken: "broken JSON" },
    { name: "a lone surrogate", bad: '{"type":"\ud800', broken: "broken JSON" },
    { name: "text of another program", bad: "npm warn deprecated", broken: "broken JSON" },
  ])("$name between good lines costs that line alone, and is counted", ({ bad, broken }) => {
    const { runs, report } = parse(
      user("go"),
      bad,
      assistant("m1", [{ type: "tool_use", id: "a", name: "Read", input: {} }]),
      bad,
      user([{ type: "tool_result", tool_use_id: "a", content: "x" }]),
      done,
    );
    expect(report).toMatchObject({ broken: { [broken]: 2 }, calls: 1, results: 1 });
    expect(report.brokenAt).toEqual([
      { at: "line 2", why: broken },
      { at: "line 4", why: broken },
    ]);
    expect(runs[0]?.events.at(-1)).toMatchObject({ type: "finish.requested" });
  });

  it("with something behind the only document keep the document, and count the rest", () => {
    const messages = JSON.stringify([
      { role: "user", content: "go" },
      { role: "assistant", content: "Done." },
    ]);
    for (const rest of ["\nnpm notice", '\n{"role":"us', " x"]) {
      const { runs, report } = parseTranscript(messages + rest);
      expect(runs[0]?.events.at(-1)).toMatchObject({ type: "finish.requested" });
      expect(report.broken).toEqual({ "text behind the document": 1 });
    }
    expect(parseTranscript(`${messages}\n\n`).report.broken).toEqual({});
  });

  it("with a line longer than the limit lose that line, and keep none of it", () => {
    const translation = createTranslation({ format: "claude-code", limits: { recordLength: 1_000_000 } });
    const chunk = "x".repeat(256 * 1024);
    translation.push(`${user("go")}\n{"type":"user","message":"`);
    const before = process.memoryUsage().heapUsed;
    for (let count = 0; count < 400; count += 1) translation.push(chunk);
    // 100 MiB went through; what is kept may not depend on it.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(40 * 1024 * 1024);
    const items = [...translation.push(`"}\n${done}\n`), ...translation.end()];
    expect(translation.report()).toMatchObject({ broken: { "longer than 1000000 characters": 1 }, answers: 1 });
    expect(items.at(-1)).toMatchObject({ type: "end" });
  });

  it("with one document longer than the limit for whole ones are read entry by entry, to the same runs", () => {
    const messages = [
      { role: "user", content: "go" },
      ...Array.from({ length: 300 }, (_, index) => [
        {
          role: "assistant",
          content: null,
          tool_calls: [
            {
              id: `c${String(index)}`,
              type: "function",
              function: {
                name: "read",
                arguments: JSON.stringify({ path: `${String(index)}.ts`, note: 'quo"te ]} \\' }),
              },
            },
          ],
        },
        { role: "tool", tool_call_id: `c${String(index)}`, content: `text ${"y".repeat(500)} {[` },
      ]).flat(),
      { role: "assistant", content: "Done." },
    ];
    const text = JSON.stringify({ model: "m", messages });
    const whole = parseTranscript(text);
    const translation = createTranslation({ limits: { wholeDocument: 1000, recordLength: 100_000 } });
    const items = [];
    for (let from = 0; from < text.length; from += 4099) items.push(...translation.push(text.slice(from, from + 4099)));
    items.push(...translation.end());
    expect(items.flatMap((item) => (item.type === "event" ? [item.event] : []))).toEqual(whole.runs[0]?.events);
    expect(translation.report()).toEqual(whole.report);
  });

  it("nested without end neither overflow nor hang", () => {
    const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;
    const { runs, report } = parse(
      user("go"),
      `{"sessionId":"s","uuid":"d","type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"a","name":"Read","input":${deep}}]}}`,
      done,
    );
    expect(report.calls).toBe(1);
    expect(playRun(runs[0]!).outcome?.reason).toBe("done");
    expect(() => parseTranscript("[".repeat(300_000))).toThrow(
      expect.objectContaining({ code: "UNKNOWN_FORMAT" }) as Error,
    );
    expect(() => parseTranscript('{"messages":['.repeat(30_000))).toThrow(
      expect.objectContaining({ code: "UNKNOWN_FORMAT" }) as Error,
    );
  });

  it("cannot touch the prototypes of objects", () => {
    const text =
      '[{"role":"user","content":"go","__proto__":{"polluted":1}},{"role":"assistant","content":null,"tool_calls":[{"id":"__proto__","function":{"name":"constructor","arguments":"{\\"__proto__\\":{\\"polluted\\":1}}"}}]},{"role":"tool","tool_call_id":"__proto__","content":"{\\"constructor\\":{\\"prototype\\":{\\"polluted\\":1}}}"}]';
    const { report, runs } = parseTranscript(text);
    expect(report).toMatchObject({ calls: 1, results: 1 });
    playRun(runs[0]!);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("with ids used twice, repeated results and results without calls still pair", () => {
    const messages = [
      { role: "user", content: "go" },
      {
        role: "assistant",
        tool_calls: [
          { id: "a", function: { name: "x", arguments: "{" } },
          { id: "a", function: { name: "y", arguments: "" } },
          { function: { name: "z", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "a", content: "1" },
      { role: "tool", tool_call_id: "a", content: "2" },
      { role: "tool", tool_call_id: "a", content: "3" },
      { role: "tool", tool_call_id: "ghost", content: "boo" },
      { role: "assistant", content: null },
      { role: "assistant" },
    ];
    const { runs, report } = parseTranscript(messages);
    expect(report).toMatchObject({
      calls: 4,
      results: 3,
      unanswered: 1,
      orphans: 1,
      skipped: { "result given twice": 1 },
    });
    const open = new Set<unknown>();
    for (const event of runs[0]?.events ?? []) {
      if (event.type === "tool.requested") {
        expect(open.has(event.call)).toBe(false);
        open.add(event.call);
      } else if (event.type === "tool.finished") expect(open.delete(event.call)).toBe(true);
    }
  });

  it("with members of every wrong kind are counted, never thrown", () => {
    const wrong = [null, 1, "x", true, [], [[]], {}, { a: null }];
    const fields = [
      "message",
      "content",
      "role",
      "usage",
      "timestamp",
      "data",
      "payload",
      "type",
      "uuid",
      "toolUseResult",
    ];
    for (const value of wrong) {
      for (const field of fields) {
        const { report } = parse(
          user("go"),
          JSON.stringify({
            type: "assistant",
            uuid: `${field}${JSON.stringify(value)}`,
            sessionId: "s",
            message: { id: "m", role: "assistant", content: [{ type: "text", text: "hi" }] },
            [field]: value,
          }),
          done,
        );
        expect(report.broken).toEqual({});
      }
    }
  });
});

describe("detectFormat", () => {
  it.each([
    { name: "nothing", text: "" },
    { name: "blanks", text: " \n\n " },
    { name: "prose", text: "# aider is a tool\n\nIt chats." },
    { name: "a package", text: '{"name":"x","version":"1.0.0","dependencies":{}}' },
    { name: "a list of numbers", text: "[1,2,3]" },
    {
      name: "a log of a web server",
      text: '{"level":"info","msg":"started","time":1}\n{"level":"info","msg":"request","time":2}',
    },
    {
      name: "a GeoJSON",
      text: '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":null}]}',
    },
    {
      name: "a notebook of a person",
      text: '{"cells":[{"cell_type":"code","source":["1+1"],"outputs":[]}],"nbformat":4}',
    },
    { name: "an empty list", text: "[]" },
    { name: "a chat without roles", text: '[{"from":"human","value":"hi"}]' },
    { name: "CSV", text: "role,content\nuser,hi" },
    { name: "HTML", text: "<!doctype html><script>[{}]</script>" },
  ])("does not take $name for a transcript", ({ text }) => {
    expect(detectFormat(text)?.format.name).toBeUndefined();
  });

  it("sees through a byte order mark, blank lines, CRLF and a damaged first line", () => {
    const good = [user("go"), assistant("m1", [{ type: "text", text: "Hi." }])];
    for (const text of [
      `\uFEFF${good.join("\n")}`,
      `\n\n${good.join("\n")}`,
      `${good.join("\r\n")}\r\n`,
      `{"half":"a li\n${good.join("\n")}\n${done}`,
    ]) {
      expect(detectFormat(text)?.format.name).toBe("claude-code");
      expect(parseTranscript(text).report.answers).toBeGreaterThan(0);
    }
  });

  it("says which formats there are when one is asked for that does not exist", () => {
    expect(() => parseTranscript("[]", { format: "word" })).toThrow('There is no format "word".');
    expect(() => parseTranscript("hello")).toThrow("Phasekit does not recognize the format of this transcript.");
  });
});
