import { describe, expect, it } from "vitest";
import { traceIds } from "./trace-ids.ts";

describe("traceIds", () => {
  it("gives a million spans of many runs ids of their own", () => {
    const seen = new Set<string>();
    for (let run = 0; run < 100; run += 1) {
      const { span } = traceIds(`run-${String(run)}`);
      for (let seq = 0; seq < 10_000; seq += 1) seen.add(span(seq));
    }
    expect(seen.size).toBe(1_000_000);
  });

  it("gives runs traces of their own, and a part of a run the trace of the whole", () => {
    const traces = new Set(Array.from({ length: 100_000 }, (_, run) => traceIds(String(run)).trace));
    expect(traces.size).toBe(100_000);
    expect(traceIds("child", "parent").trace).toBe(traceIds("parent").trace);
    expect(traceIds("child", "parent").span(1)).not.toBe(traceIds("parent").span(1));
  });

  it("writes ids as OpenTelemetry does", () => {
    const { trace, span } = traceIds("");
    expect(trace).toMatch(/^[0-9a-f]{32}$/);
    expect(span("")).toMatch(/^[0-9a-f]{16}$/);
  });
});
