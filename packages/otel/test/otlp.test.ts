import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseTranscript } from "@phasekit/transcripts";
import { describe, expect, it } from "vitest";
import { eventsToOtlp, otlpRequests } from "../src/index.ts";
import { logsToProtobuf, tracesToProtobuf } from "../src/trace/to-protobuf.ts";
import { decode, parseStrictly } from "./proto.ts";
import { play } from "./round-trip.ts";
import { logOf, PRIVATE, sampleRuns } from "./sample-runs.ts";

const fixtures = join(import.meta.dirname, "../../transcripts/test/fixtures");
const names = Object.keys(sampleRuns);

describe("eventsToOtlp", () => {
  it.each(names)("gives the run %s the same trace as ever", async (name) => {
    await expect(`${JSON.stringify(eventsToOtlp(logOf(name)), undefined, 1)}\n`).toMatchFileSnapshot(
      `golden/${name}.json`,
    );
  });

  it("gives a session of Claude Code the same trace as ever, as spans and with texts", async () => {
    const [recorded] = parseTranscript(readFileSync(join(fixtures, "claude-code.jsonl"), "utf8")).runs;
    const made = eventsToOtlp(play(recorded!), {
      agent: "claude-code",
      provider: "anthropic",
      text: true,
      asSpans: true,
    });
    await expect(`${JSON.stringify(made, undefined, 1)}\n`).toMatchFileSnapshot("golden/claude-code-text.json");
  });

  it.each(names)("writes what the official classes take, run %s", (name) => {
    for (const options of [{}, { text: true }, { asSpans: true }, { text: true, asSpans: true }]) {
      const { traces, logs } = eventsToOtlp(logOf(name), options);
      expect(parseStrictly("traces", JSON.stringify(traces))).toMatchObject({ resourceSpans: [{}] });
      expect(parseStrictly("logs", JSON.stringify(logs))).toMatchObject({ resourceLogs: [{}] });
    }
  });

  it.each(names)("encodes the same in protobuf, run %s", (name) => {
    for (const options of [{}, { text: true }]) {
      const { traces, logs } = eventsToOtlp(logOf(name), options);
      expect(decode("traces", tracesToProtobuf(traces))).toEqual(parseStrictly("traces", JSON.stringify(traces)));
      expect(decode("logs", logsToProtobuf(logs))).toEqual(parseStrictly("logs", JSON.stringify(logs)));
    }
  });

  it("is checked by a decoder that takes nothing else", () => {
    const { traces } = eventsToOtlp(logOf("veto"));
    const text = JSON.stringify(traces);
    expect(() => parseStrictly("traces", text.replace('"spanId"', '"spanID"'))).toThrow("Unknown or changed");
    expect(() => parseStrictly("traces", text.replace('"kind":1', '"kind":"one"'))).toThrow();
  });

  it("sends half a surrogate pair as the character for a broken one", () => {
    const log = logOf("mixed").map((event) =>
      event.type === "tool.finished" ? { ...event, output: "a\ud83d" } : event,
    );
    const { traces } = eventsToOtlp(log, { text: true });
    expect(JSON.stringify(traces)).not.toMatch(/\\ud83d/i);
    parseStrictly("traces", JSON.stringify(traces));
  });

  it.each(names)("lets no text, no file name and no person out by default, run %s", (name) => {
    const made = JSON.stringify(eventsToOtlp(logOf(name)));
    for (const word of PRIVATE) expect(made).not.toContain(word);
    expect(made).not.toMatch(/salaries|Perez|prose/);
  });

  it("redacts texts, also those the host left in", () => {
    const made = JSON.stringify(eventsToOtlp(withKey(), { text: true }));
    expect(made).toContain("sum-of-salaries");
    expect(made).not.toContain(PRIVATE[3]);
    expect(JSON.stringify(eventsToOtlp(withKey(), { text: true, redact: false }))).toContain(PRIVATE[3]);
  });

  it("leaves the texts of an event out whose redaction fails", () => {
    const made = JSON.stringify(
      eventsToOtlp(withKey(), {
        text: true,
        redact: () => {
          throw new Error("broken");
        },
      }),
    );
    expect(made).not.toContain(PRIVATE[3]);
    expect(made).toContain("execute_tool bash");
  });

  it("gives the same ids whenever it is sent, and others to other runs", () => {
    const ids = (name: string): readonly string[] => spansOf(name).flatMap(({ traceId, spanId }) => [traceId, spanId]);
    expect(ids("loop")).toEqual(ids("loop"));
    expect(new Set(ids("loop")).has(ids("veto")[0] ?? "")).toBe(false);
    for (const { traceId, spanId } of spansOf("loop")) {
      expect(traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(spanId).toMatch(/^[0-9a-f]{16}$/);
    }
  });

  it("puts every span into another one, inside its time, and the phase on each", () => {
    for (const name of names) {
      const spans = spansOf(name);
      const byId = new Map(spans.map((span) => [span.spanId, span]));
      const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
      expect(roots.map((root) => root.name)).toEqual(["invoke_agent agent"]);
      expect(byId.size).toBe(spans.length);
      for (const span of spans) {
        expect(span.attributes.some(({ key }) => key === "phasekit.phase.name")).toBe(true);
        expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true);
        if (span.parentSpanId !== undefined) expect(byId.has(span.parentSpanId)).toBe(true);
      }
    }
  });

  it("makes a part of its parent's trace of a sub-agent", () => {
    const parent = spansOf("veto");
    const child = logOf("mixed").map((event) =>
      event.type === "run.started" ? { ...event, parent: { run: "run-veto", call: "c" } } : event,
    );
    const [span] = eventsToOtlp(child).traces.resourceSpans[0]!.scopeSpans[0]!.spans.slice(-1);
    expect(span).toMatchObject({ traceId: parent[0]?.traceId, parentSpanId: parent.at(-1)?.spanId });
  });

  it("has nothing to say about no events", () => {
    expect(eventsToOtlp([]).traces.resourceSpans[0]?.scopeSpans[0]?.spans).toEqual([]);
  });
});

describe("otlpRequests", () => {
  it("splits a run into requests of a limited size that hold every span once", () => {
    const whole = eventsToOtlp(logOf("loop"));
    const requests = [...otlpRequests(logOf("loop"), { maxLength: 5000 })];
    expect(requests.length).toBeGreaterThan(4);
    const spans = requests
      .filter(({ path }) => path === "/v1/traces")
      .flatMap(({ body }) => (JSON.parse(body) as typeof whole.traces).resourceSpans[0]?.scopeSpans[0]?.spans ?? []);
    expect(spans).toEqual(whole.traces.resourceSpans[0]?.scopeSpans[0]?.spans);
  });
});

function spansOf(name: string) {
  return eventsToOtlp(logOf(name)).traces.resourceSpans[0]!.scopeSpans[0]!.spans;
}

function withKey() {
  return logOf("loop").map((event) =>
    event.type === "tool.requested" ? { ...event, input: { command: `node sum-of-salaries.js ${PRIVATE[3]}` } } : event,
  );
}
