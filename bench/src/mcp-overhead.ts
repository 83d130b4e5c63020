import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { createRun, nudge, type Policy, type PlainTool, type RunPort } from "@phasekit/core";
import { createPhaseServer, withPhases } from "@phasekit/mcp";
import { median, ratio } from "./measure.ts";
import type { Story } from "./comparison.ts";

const BLOCKS = 15;
const CALLS = 200;

const input = { path: "src/a.ts", text: "x".repeat(500) };
const tool: PlainTool = {
  name: "run",
  description: "runs",
  inputSchema: { type: "object" },
  execute: () => ({ ok: true, text: "y".repeat(1000) }),
};
const policy: Policy = {
  name: "reminder",
  decide: { "turn.started": (run) => (run.turn % 50 === 0 ? nudge("Still there?") : undefined) },
};

/** What a run behind an MCP client costs a call whose server answers at once, in the same process. */
export async function mcpOverhead(): Promise<Story> {
  const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair();
  await createPhaseServer({ tools: [tool] }).connect(serverEnd);
  const bare = new Client({ name: "bench", version: "1" });
  await bare.connect(clientEnd);
  let run: RunPort = createRun();
  const watched = withPhases(() => run, bare);
  const clients = { bare, watched };
  const samples = { bare: [] as number[], watched: [] as number[] };
  for (let block = -3; block < BLOCKS; block += 1) {
    run = createRun({ policies: [policy] });
    for (const name of block % 2 === 0 ? (["bare", "watched"] as const) : (["watched", "bare"] as const)) {
      const start = process.cpuUsage();
      for (let count = 0; count < CALLS; count += 1) await clients[name].callTool({ name: "run", arguments: input });
      const { user, system } = process.cpuUsage(start);
      if (block >= 0) samples[name].push(((user + system) * 1000) / CALLS);
    }
  }
  await bare.close();
  const extra = (median(samples.watched) - median(samples.bare)) / 1000;
  return {
    title: "MCP: a client with a run behind its tools against the bare client",
    baseline: "the same call through the official client, to a server in the same process that answers at once",
    results: [
      { what: `a tool call (+${extra.toFixed(0)} µs)`, value: ratio(samples.watched, samples.bare), unit: "×" },
    ],
    notes: ["Processor time, both ends of the connection included. A real server is a process or a network away."],
  };
}
