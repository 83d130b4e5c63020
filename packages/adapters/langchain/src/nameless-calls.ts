import type { RunPort } from "@phasekit/core";

const runningByRun = new WeakMap<RunPort, Set<string>>();

/** The id of a call to which the model gave none: the name of its tool, and a number from the second one on. */
export function namelessCall(tool: string, count: number): string {
  return count === 1 ? tool : `${tool}#${String(count)}`;
}

/**
 * Begins a call without an id: returns the id of the first pending call of the tool that is not running. The host makes
 * calls in the order of the answer. `end` makes the id free again, if the graph interrupts the call.
 */
export function beginNameless(run: RunPort, tool: string): { readonly call: string; readonly end: () => void } {
  const running = runningByRun.get(run) ?? new Set();
  runningByRun.set(run, running);
  let count = 1;
  while (running.has(namelessCall(tool, count)) || isLater(run, tool, count)) count += 1;
  const call = namelessCall(tool, count);
  running.add(call);
  return { call, end: () => void running.delete(call) };
}

/** True if this call is over and a later one of the same tool is pending. */
function isLater({ view: { pending } }: RunPort, tool: string, count: number): boolean {
  if (pending.has(namelessCall(tool, count))) return false;
  return [...pending.values()].some(
    ({ call }) => call.startsWith(`${tool}#`) && Number(call.slice(tool.length + 1)) > count,
  );
}
