import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { createRun, nudge, type Policy, type PlainTool, type RunPort } from "@phasekit/core";
import { createPhaseServer, withPhases } from "@phasekit/mcp";
import { defineComparison } from "./comparison.ts";
import { measureWatched, median, ratio } from "./measure.ts";

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

/** The cost of a run for a tool call through an MCP client. The server is in the same process. */
export const mcpOverhead = defineComparison({
  title: "MCP: a client with a run behind its tools, beside the bare client",
  baseline: "the same call through the official client, to a server in the same process that answers immediately",
  rows: { call: { what: "a tool call", unit: "×" } },
  measure: async ({ pause, row }) => {
    const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair();
    await createPhaseServer({ tools: [tool] }).connect(serverEnd);
    const bareClient = new Client({ name: "bench", version: "1" });
    await bareClient.connect(clientEnd);
    let run: RunPort = createRun();
    const watchedClient = withPhases(() => run, bareClient);
    try {
      const { bare, watched } = await measureWatched(
        (watch) => (watch ? watchedClient : bareClient).callTool({ name: "run", arguments: input }),
        { blocks: BLOCKS, count: CALLS, prepare: () => void (run = createRun({ policies: [policy] })), pause },
      );
      const extra = (median(watched) - median(bare)) / 1000;
      row("call", ratio(watched, bare), `+${extra.toFixed(0)} µs`);
    } finally {
      await bareClient.close();
    }
    return ["Processor time of both ends of the connection. A real server is in another process, or behind a network."];
  },
});
