import { shieldRun, toObject } from "@phasekit/core/adapter";
import type { Invocation } from "./invocation.ts";

type Handler = (iteration: unknown) => unknown;

/** Returns an `onIterationComplete` that records unmade calls, ends a stopped run, and asks about a finish. */
export function completeIteration(invocation: Invocation, theirs: Handler | undefined): Handler {
  const { run } = invocation;
  const { attempt } = shieldRun(run);
  return async (iteration) => {
    const given = await theirs?.(iteration);
    return attempt("onIterationComplete", () => judge(invocation, toObject(iteration)), undefined) ?? given;
  };
}

function judge(invocation: Invocation, iteration: ReturnType<typeof toObject>): object | undefined {
  const { run, closed, answered } = invocation;
  const { record, beforeFinish, isOver } = shieldRun(run);
  const { isFinal, toolCalls, toolResults, text } = iteration;
  for (const { id, result } of Array.isArray(toolResults) ? toolResults.map(toObject) : []) {
    const pending = run.view.pending.get(String(id));
    // Our hooks have seen every call that was made: Mastra answered this one itself.
    if (pending === undefined || pending.refused !== undefined) continue;
    record({ type: "tool.finished", call: String(id), tool: pending.tool, outcome: "error", output: result ?? "" });
  }
  if (isOver(closed)) return { continue: false };
  const isDone = isFinal === true && !(Array.isArray(toolCalls) && toolCalls.length > 0);
  if (!isDone || closed || !answered) return undefined;
  const finish = beforeFinish({ text: typeof text === "string" ? text : "" });
  if (finish.accept) return undefined;
  // Mastra drops the feedback to a final answer, so the next request brings it.
  invocation.objection = finish.text;
  return { continue: true };
}
