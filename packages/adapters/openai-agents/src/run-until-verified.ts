import type { RunPort } from "@phasekit/core";
import { shieldRun, toObject } from "@phasekit/core/adapter";
import { userItem } from "./items.ts";

const asked = new WeakSet<object>();

/** Marks a result whose finish the run has judged. */
export function markAsked(result: unknown): void {
  if (typeof result === "object" && result !== null) asked.add(result);
}

/**
 * Runs until the run accepts the result. On a veto, the agent gets the text of the gate and continues. A wrapped runner
 * does it by itself; only a streamed run needs it, because its caller reads the stream first. The run's own limits end
 * the loop.
 *
 * @example
 * const result = await runUntilVerified(run, {
 *   input: "Fix the sum.",
 *   start: async (input) => {
 *     const stream = await runner.run(agent, input, { stream: true });
 *     for await (const event of stream) show(event);
 *     await stream.completed;
 *     return stream;
 *   },
 * });
 */
export async function runUntilVerified<TItem, TResult extends { readonly history: readonly TItem[] }>(
  run: RunPort,
  {
    input,
    start,
  }: {
    readonly input: string | readonly TItem[];
    readonly start: (input: string | TItem[]) => TResult | PromiseLike<TResult>;
  },
): Promise<TResult> {
  let next: string | TItem[] = typeof input === "string" ? input : [...input];
  for (;;) {
    const result = await start(next);
    const objection = asked.has(result) ? undefined : objectionTo(run, result);
    if (objection === undefined) return result;
    // A user message is a valid item, whatever its union type is called.
    next = [...result.history, userItem(objection) as TItem];
  }
}

/** Returns the run's objection to a result: none if it accepts it, or if the result is not a finish. */
export function objectionTo(
  run: RunPort,
  result: unknown,
  { canVeto = true }: { readonly canVeto?: boolean } = {},
): string | undefined {
  const { interruptions } = toObject(result);
  const { attempt, beforeFinish } = shieldRun(run);
  const isOpen = attempt("finish", () => run.view.stopped === undefined && run.view.status === "running", false);
  markAsked(result);
  if (!isOpen || (Array.isArray(interruptions) && interruptions.length > 0)) return undefined;
  // The SDK warns if a result without a final output is asked for it.
  const { finalOutput } = toObject(result);
  const text = typeof finalOutput === "string" ? finalOutput : JSON.stringify(finalOutput ?? "");
  const finish = beforeFinish({ text, ...(!canVeto && { canVeto }) });
  return finish.accept ? undefined : finish.text;
}
