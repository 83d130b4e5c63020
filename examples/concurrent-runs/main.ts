// One LangChain agent, twelve invocations at the same time: each has its own run, which ends with it and is stored.
import assert from "node:assert/strict";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { budget, createRun } from "@phasekit/core";
import { type Invocation, withPhases } from "@phasekit/langchain";
import { storeRun, createMemoryStore } from "@phasekit/ledger";
import { seenRequest, startOpenAiServer } from "@phasekit/tooling/openai-server";
import { createAgent } from "langchain";

const aborts = new AbortController();
const llm = await startOpenAiServer((request) => {
  const { messages } = seenRequest(request);
  const [job = ""] = messages.filter(({ role }) => role === "user").map(({ text }) => text);
  if (job === "job 3") return { hangs: () => aborts.abort() };
  if (job === "job 5") return { fails: { status: 500, code: "server_error" } };
  const looks = messages.filter(({ role }) => role === "tool").length;
  // The seventh never stops looking.
  return job === "job 7" || looks < Number(job.slice(4)) % 3
    ? { calls: [{ tool: "look", input: { job } }], usage: { input: 10, output: 2 } }
    : { text: `${job} is done.`, usage: { input: 10, output: 2 } };
});

const store = createMemoryStore();
const stored: { readonly flush: () => Promise<unknown> }[] = [];

/** A run for each invocation, with the id of its job. */
function newRun({ configurable }: Invocation) {
  const run = createRun({ id: String(configurable["job"]), policies: [budget({ turns: 5 })] });
  stored.push(storeRun(run, store));
  return run;
}

const look = tool(() => "seen", { name: "look", description: "Looks.", schema: { type: "object", properties: {} } });
const model = new ChatOpenAI({
  model: "gpt-5-mini",
  apiKey: "offline",
  maxRetries: 0,
  configuration: { baseURL: llm.url },
});
const agent = withPhases(newRun, createAgent({ model, tools: [look] }));

await Promise.allSettled(
  Array.from({ length: 12 }, (_, index) =>
    agent.invoke(
      { messages: `job ${index}` },
      { configurable: { job: `job-${index}` }, ...(index === 3 && { signal: aborts.signal }) },
    ),
  ),
);
await Promise.all(stored.map(({ flush }) => flush()));

const rows = [...(await store.list())].sort((a, b) => Number(a.run.slice(4)) - Number(b.run.slice(4)));
for (const { run, reason } of rows) console.log(`${run.padEnd(8)} ${String(reason)}`);
const unusual: Readonly<Record<string, string>> = {
  "job-3": "interrupted",
  "job-5": "upstream_unhealthy",
  "job-7": "turn_limit",
};
assert.deepEqual(
  rows.map(({ run, reason }) => [run, reason]),
  Array.from({ length: 12 }, (_, index) => [`job-${index}`, unusual[`job-${index}`] ?? "done"]),
);
await llm.close();
