import type { AgentHost } from "./agent-loop.ts";
import { turnsOfScript } from "./script.ts";

/** Runs the agent without Phasekit: it pays for its steps alone. */
export async function bareLoop({ write, model, tool }: Pick<AgentHost, "write" | "model" | "tool">): Promise<void> {
  for (let turn = 0; turn < turnsOfScript; turn += 1) {
    const answer = await write(`model ${String(turn)}`, async () => model(turn, undefined));
    if ("tool" in answer) await write(`tool ${String(turn)}`, async () => tool(turn));
  }
}
