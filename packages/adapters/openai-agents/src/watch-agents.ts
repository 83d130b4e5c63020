import { toObject } from "@phasekit/core/adapter";
import { guardTool } from "./guard-tools.ts";
import { dispatchModel } from "./observe-model.ts";
import { invocationOf } from "./run-context.ts";

/** The members we use of an agent. */
interface Agent {
  model: unknown;
  readonly handoffs?: readonly object[];
  readonly getAllTools: (...args: readonly unknown[]) => Promise<readonly unknown[]>;
}

const watched = new WeakSet<object>();

/**
 * Watches an agent and those it hands off to. The SDK compares agents by identity, in approvals and stored states, so
 * they are not copied. The added members find their invocation by the context of the run, and do nothing in other runs.
 */
export function watchAgents(given: unknown): void {
  const agent = toObject(given) as Partial<Agent>;
  if (typeof agent.getAllTools !== "function" || watched.has(agent)) return;
  watched.add(agent);
  const { getAllTools } = agent;
  Object.defineProperty(agent, "getAllTools", {
    configurable: true,
    writable: true,
    value: async (...args: readonly unknown[]) => {
      const tools = await getAllTools.call(agent, ...args);
      const invocation = invocationOf(args[0]);
      return invocation?.active !== agent ? tools : tools.map((tool) => guardTool(invocation, tool));
    },
  });
  if (typeof agent.model === "object") agent.model = dispatchModel(agent.model);
  // A target is an agent, or a hand-off to one.
  for (const target of agent.handoffs ?? []) watchAgents(toObject(target)["agent"] ?? target);
}
