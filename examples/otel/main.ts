// An agent whose run is traced as it happens, with the official exporters, to a receiver in this process. Its log is
// then sent once more: the ids are the same, so a backend shows one trace.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-proto";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { codingRun } from "@phasekit/coding";
import { type RunEvent, trackRun } from "@phasekit/core";
import { eventsToOtlp, sendOtlp } from "@phasekit/otel";
import { traceRun } from "@phasekit/otel/live";

const received: string[] = [];
const receiver = createServer((request, response) => {
  request.resume().on("end", () => {
    received.push(request.url ?? "");
    response.writeHead(200).end();
  });
});
await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
const endpoint = `http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}`;

const run = codingRun({ id: "fix-the-sum", mode: "gate", task: { text: "Fix the sum." } });
const traced = traceRun(run, {
  agent: "example",
  traces: new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }),
  logs: new OTLPLogExporter({ url: `${endpoint}/v1/logs` }),
});
const log: RunEvent[] = [];
run.subscribe((step) => log.push(...step));

await trackRun(run, () => {
  const call = (tool: string, input: object, output: string): void => {
    run.beforeTurn();
    run.record({ type: "model.answered", model: "model-1", usage: { inputTokens: 900, outputTokens: 40 } });
    const { allow, call: id } = run.beforeTool({ tool, input });
    if (allow) run.record({ type: "tool.finished", call: id, outcome: "ok", exitCode: 0, output });
  };
  call("read_file", { path: "src/sum.ts" }, "return a - b;");
  call("write_file", { path: "src/sum.ts", content: "return a + b;" }, "ok");
  run.beforeFinish({ text: "Done." }); // sent back: nothing was tested
  call("bash", { command: "npm test" }, "Tests  3 passed (3)");
});
const { sent, dropped } = await traced.close();
await sendOtlp(log, { endpoint, agent: "example" });
receiver.close();

const { traces, logs } = eventsToOtlp(log, { agent: "example" });
const spans = traces.resourceSpans[0]?.scopeSpans[0]?.spans ?? [];
const records = logs.resourceLogs[0]?.scopeLogs[0]?.logRecords ?? [];
const parentOf = new Map(spans.map((span) => [span.spanId, span.parentSpanId]));
const depthOf = (id = ""): number => (parentOf.get(id) === undefined ? 0 : 1 + depthOf(parentOf.get(id)));
const startOf = ({ startTimeUnixNano: time }: (typeof spans)[number]): bigint => BigInt(time);
for (const span of spans.toSorted(
  (one, other) => Number(startOf(one) - startOf(other)) || depthOf(one.spanId) - depthOf(other.spanId),
))
  console.log("  ".repeat(depthOf(span.spanId)) + span.name);
const story = new Map(spans.at(-1)?.attributes.map(({ key, value }) => [key, Object.values(value)[0] as unknown]));
console.log(`reason ${String(story.get("phasekit.reason"))}, verified ${String(story.get("phasekit.verified"))}`);

assert.equal(sent, spans.length + records.length);
assert.equal(dropped, 0);
assert.deepEqual(new Set(received), new Set(["/v1/traces", "/v1/logs"]));
assert.equal(story.get("phasekit.reason"), "done");
assert.equal(story.get("phasekit.grade"), "proven");
assert.equal(story.get("phasekit.vetoes"), "1");
assert.ok(records.some(({ eventName }) => eventName === "gen_ai.evaluation.result"));
