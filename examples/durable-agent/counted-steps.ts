import type { AgentHost } from "./agent-loop.ts";

/** Steps with times that only depend on their place in the workflow, so that two logs can be compared byte for byte. */
export function countedSteps(write: AgentHost["write"]): Required<Pick<AgentHost, "write" | "clock">> {
  let steps = 0;
  return {
    write: (name, work) => {
      steps += 1;
      return write(name, work);
    },
    clock: () => 1_700_000_000_000 + 1000 * steps,
  };
}
