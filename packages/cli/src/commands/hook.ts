import { agentNames, hookAgents } from "@phasekit/hooks";
import type { CommandRun } from "../command.ts";
import { exitCodes } from "../exit-code.ts";

/** Lists the agents. With an agent's name, `bin.ts` answers the event without loading this file. */
export const hook: CommandRun = () =>
  Promise.resolve({
    exitCode: exitCodes.ok,
    data: {
      agents: agentNames,
      capabilities: agentNames.flatMap((agent) =>
        Object.entries(hookAgents[agent].events).map(([event, can]) => ({ agent, event, can })),
      ),
    },
    lines: [
      "Agents call `phasekit hook <agent>` with an event on standard input. Install it with `phasekit init <agent>`.",
      `Agents: ${agentNames.join(", ")}`,
    ],
  });
