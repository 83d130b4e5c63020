import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { context, trace } from "@opentelemetry/api";
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-proto";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { InMemoryLogRecordExporter } from "@opentelemetry/sdk-logs";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  StackContextManager,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { RunEvent } from "@phasekit/core";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventsToOtlp } from "../src/index.ts";
import { traceRun } from "../src/live.ts";
import { decode } from "./proto.ts";
import { logOf } from "./sample-runs.ts";

/** A run that hands its log over to whoever subscribes, step by step. */
function replay(log: readonly RunEvent[]) {
  const subscribers = new Set<(step: readonly RunEvent[]) => void>();
  return {
    run: {
      subscribe: (subscriber: (step: readonly RunEvent[]) => void) => {
        subscribers.add(subscriber);
        return () => {
          subscribers.delete(subscriber);
        };
      },
    },
    play: (from = 0, to = log.length) => {
      for (const event of log.slice(from, to)) for (const subscriber of subscribers) subscriber([event]);
    },
  };
}

const quick = { lingerMs: 0, retryMs: 1, flushMs: 5000 };
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function startReceiver() {
  const requests: { readonly path: string; readonly body: Buffer }[] = [];
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      requests.push({ path: request.url ?? "", body });
      response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, requests };
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

type Json = Readonly<Record<string, unknown>>;
const listsIn = (value: unknown, ...names: readonly string[]): readonly Json[] =>
  names.reduce<readonly unknown[]>(
    (found, name) => found.flatMap((item) => (item as Json)[name] as unknown[]),
    [value],
  ) as Json[];

describe("traceRun", () => {
  it("sends with the official protobuf exporters what the fold makes", async () => {
    const { url, requests } = await startReceiver();
    const { run, play } = replay(logOf("loop"));
    const traced = traceRun(run, {
      traces: new OTLPTraceExporter({ url: `${url}/v1/traces` }),
      logs: new OTLPLogExporter({ url: `${url}/v1/logs` }),
      ...quick,
    });
    play();
    expect(await traced.close()).toMatchObject({ waiting: 0, dropped: 0, failures: 0 });
    const { traces, logs } = eventsToOtlp(logOf("loop"));
    const spans = requests
      .filter(({ path }) => path === "/v1/traces")
      .flatMap(({ body }) => listsIn(decode("traces", body), "resourceSpans", "scopeSpans", "spans"));
    const records = requests
      .filter(({ path }) => path === "/v1/logs")
      .flatMap(({ body }) => listsIn(decode("logs", body), "resourceLogs", "scopeLogs", "logRecords"));
    const wanted = traces.resourceSpans[0]!.scopeSpans[0]!.spans;
    expect(spans).toHaveLength(wanted.length);
    for (const [
      index,
      { attributes, kind, name, traceId, spanId, startTimeUnixNano, endTimeUnixNano },
    ] of wanted.entries())
      expect(spans[index]).toMatchObject({
        attributes,
        kind,
        name,
        traceId,
        spanId,
        startTimeUnixNano,
        endTimeUnixNano,
      });
    expect(
      records.map(({ eventName, attributes, traceId, spanId }) => ({ eventName, attributes, traceId, spanId })),
    ).toEqual(
      logs.resourceLogs[0]!.scopeLogs[0]!.logRecords.map(({ eventName, attributes, traceId, spanId }) => ({
        eventName,
        attributes,
        traceId,
        spanId,
      })),
    );
  });

  it("sends events as spans if there is no exporter for logs", async () => {
    const exporter = new InMemorySpanExporter();
    const { run, play } = replay(logOf("loop"));
    const traced = traceRun(run, { traces: exporter, ...quick });
    play();
    await traced.close();
    const names = exporter.getFinishedSpans().map(({ name }) => name);
    expect(names).toContain("phasekit.alert.raised");
    expect(names).toContain("invoke_agent agent");
  });

  it("keeps what waits within its limit when nothing answers, and lets the agent work", async () => {
    const { run, play } = replay(logOf("loop"));
    const traced = traceRun(run, {
      traces: {
        export: (_spans, done) => {
          // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- a failure, in every version
          done({ code: 1, error: new Error("down") });
        },
      },
      maxWaiting: 4,
      lingerMs: 0,
      retryMs: 1,
      flushMs: 1,
    });
    play();
    const status = await traced.close();
    expect(status.waiting).toBe(4);
    expect(status.dropped).toBeGreaterThan(10);
    expect(String(status.problem)).toContain("down");
  });

  it("survives an exporter that throws and one that never answers", async () => {
    for (const broken of [
      () => {
        throw new Error("broken");
      },
      () => undefined,
    ]) {
      const { run, play } = replay(logOf("veto"));
      const traced = traceRun(run, { traces: { export: broken }, lingerMs: 0, retryMs: 1, flushMs: 5 });
      expect(() => {
        play();
      }).not.toThrow();
      expect((await traced.close()).sent).toBe(0);
    }
  });

  it("records metrics by phase, and of a resumed run only what is new", async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter });
    const meter = new MeterProvider({ readers: [reader] }).getMeter("test");
    const log = logOf("loop");
    const first = replay(log);
    const traced = traceRun(first.run, { traces: new InMemorySpanExporter(), meter, ...quick });
    first.play();
    await traced.close();
    const resumed: RunEvent[] = [
      { type: "run.resumed", seq: log.length + 1, at: 1_790_000_020_000, attempt: 2 },
      { type: "turn.started", seq: log.length + 2, at: 1_790_000_020_000, turn: 99 },
      { ...log.at(-1), seq: log.length + 3, at: 1_790_000_021_000 } as RunEvent,
    ];
    const second = replay(resumed);
    const spans = new InMemorySpanExporter();
    const again = traceRun(second.run, { traces: spans, meter, earlier: log, ...quick });
    second.play();
    await again.close();
    expect(spans.getFinishedSpans().filter(({ name }) => name === "execute_tool bash")).toEqual([]);
    await reader.forceFlush();
    const metrics = exporter.getMetrics().at(-1)?.scopeMetrics[0]?.metrics ?? [];
    const sum = (name: string): number =>
      metrics
        .filter(({ descriptor }) => descriptor.name === name)
        .flatMap(({ dataPoints }) => dataPoints as { readonly value: number }[])
        .reduce((all, { value }) => all + value, 0);
    expect(sum("phasekit.runs")).toBe(2);
    expect(sum("phasekit.tool_calls")).toBe(14);
    expect(sum("phasekit.tokens")).toBe(14_700);
    expect(sum("phasekit.loops")).toBe(1);
    const ends = metrics.find(({ descriptor }) => descriptor.name === "phasekit.runs")?.dataPoints[0]?.attributes;
    expect(ends).toMatchObject({ "phasekit.reason": "aborted_stagnation", "phasekit.verified": false });
    await reader.shutdown();
  });
});

describe("traceRun inside the spans of another instrumentation", () => {
  beforeAll(() => {
    context.setGlobalContextManager(new StackContextManager().enable());
  });

  it("adds to their spans instead of making others, and joins their trace", async () => {
    const theirs = new InMemorySpanExporter();
    const tracer = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: theirs })] }).getTracer(
      "ai-sdk",
    );
    const ours = new InMemorySpanExporter();
    const records = new InMemoryLogRecordExporter();
    const log = logOf("veto");
    const { run, play } = replay(log);
    const traced = traceRun(run, { traces: ours, logs: records, ...quick });
    tracer.startActiveSpan("invoke_agent", { attributes: { "gen_ai.operation.name": "invoke_agent" } }, (agent) => {
      let from = 0;
      for (const [index, { type }] of log.entries()) {
        if (type !== "tool.requested") continue;
        play(from, index);
        from = log.findIndex(({ type: other }, at) => at > index && other === "tool.finished") + 1;
        tracer.startActiveSpan("execute_tool", { attributes: { "gen_ai.operation.name": "execute_tool" } }, (tool) => {
          play(index, from);
          tool.end();
        });
      }
      play(from);
      agent.end();
    });
    await traced.close();
    const [agent] = theirs.getFinishedSpans().filter(({ name }) => name === "invoke_agent");
    const tools = theirs.getFinishedSpans().filter(({ name }) => name === "execute_tool");
    expect(
      tools.map(({ attributes }) => [attributes["phasekit.phase.name"], attributes["phasekit.call.activity"]]),
    ).toEqual(
      log.flatMap((event) => (event.type === "tool.requested" ? [[expect.any(String), event.meaning.activity]] : [])),
    );
    expect(agent?.attributes).toMatchObject({
      "phasekit.reason": "done",
      "phasekit.verified": true,
      "phasekit.grade": "proven",
    });
    const names = ours.getFinishedSpans().map(({ name }) => name.split(" ")[0]);
    expect(new Set(names)).toEqual(new Set(["phase", "invoke_agent"]));
    const { traceId, spanId } = agent!.spanContext();
    expect(ours.getFinishedSpans().at(-1)?.parentSpanContext).toMatchObject({ traceId, spanId });
    for (const span of ours.getFinishedSpans()) expect(span.spanContext().traceId).toBe(traceId);
    expect(records.getFinishedLogRecords().map(({ eventName }) => eventName)).toContain("gen_ai.evaluation.result");
  });

  it("makes spans of its own inside a span that is of no agent, such as a request's", async () => {
    const tracer = new TracerProvider().getTracer("http");
    const ours = new InMemorySpanExporter();
    const { run, play } = replay(logOf("veto"));
    const traced = traceRun(run, { traces: ours, ...quick });
    tracer.startActiveSpan("POST /chat", (request) => {
      play();
      request.end();
      expect(trace.getActiveSpan()).toBe(request);
    });
    await traced.close();
    expect(ours.getFinishedSpans().filter(({ name }) => name.startsWith("chat "))).toHaveLength(5);
  });
});
