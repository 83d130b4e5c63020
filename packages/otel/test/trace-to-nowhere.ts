import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-proto";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { createRun } from "@phasekit/core";
import { sendRun, webhookSink } from "../src/index.ts";
import { traceRun } from "../src/live.ts";

// A program for flat-memory.ts: an agent whose traces, log records and webhooks go to a port where nothing listens.

const wanted = Number(process.argv[2]);
const nowhere = "http://127.0.0.1:9";
const run = createRun<string>({ id: "long" });
const limits = { lingerMs: 1, retryMs: 5, flushMs: 100 };
const traced = traceRun(run, {
  traces: new OTLPTraceExporter({ url: `${nowhere}/v1/traces`, timeoutMillis: 50 }),
  logs: new OTLPLogExporter({ url: `${nowhere}/v1/logs`, timeoutMillis: 50 }),
  ...limits,
});
const sent = sendRun(run, webhookSink({ url: nowhere, secret: "a secret of some length" }), limits);
let events = 0;
run.subscribe((step) => {
  events += step.length;
});

const heap = (): number => {
  (globalThis as { readonly gc?: () => void }).gc?.();
  return process.memoryUsage().heapUsed;
};

let early = 0;
for (let turn = 0; events < wanted; turn += 1) {
  run.beforeTurn();
  run.record({ type: "model.answered", usage: { inputTokens: 100, outputTokens: 10 } });
  const { call } = run.beforeTool({ tool: "read", input: { path: `src/file-${String(turn)}.ts` } });
  run.record({ type: "tool.finished", call, outcome: "ok", output: `line ${String(turn)}` });
  run.record({ type: "message.received", text: `Go on, ${String(turn)}.` });
  // The exporters get their turn to fail.
  if (turn % 200 === 0) await new Promise((resolve) => setImmediate(resolve));
  if (early === 0 && events > wanted / 4) early = heap();
}
const late = heap();
const { waiting, dropped } = traced.status();
console.log(JSON.stringify({ early, late, events, waiting: waiting + sent.status().waiting, dropped }));
process.exit(0);
