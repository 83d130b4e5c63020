import { changedBy } from "../account/child-work.ts";
import type { Run } from "./run.ts";

/** Tells the parent what its child spends, turn by turn, and how it ended. */
export function followChild(child: Run<never> | Run, record: (input: unknown) => boolean): void {
  let spent = { ...child.view.usage };
  let calls = 0;
  let fingerprints: string[] = [];
  child.subscribe((step) => {
    const [event] = step;
    if (event === undefined) return;
    if (event.type === "tool.finished") {
      calls += 1;
      const call = event.meaning.about ?? event.meaning.fingerprint;
      if (call !== undefined && fingerprints.length < 32) fingerprints.push(call);
    }
    if (event.type !== "turn.started" && event.type !== "run.finished") return;
    const { usage } = child.view;
    const grown = (key: keyof typeof spent): number => usage[key] - spent[key];
    if (calls > 0 || grown("modelCalls") > 0 || grown("inputTokens") > 0) {
      record({
        type: "child.progressed",
        child: child.id,
        usage: {
          inputTokens: grown("inputTokens"),
          outputTokens: grown("outputTokens"),
          cachedInputTokens: grown("cachedInputTokens"),
          cacheWriteTokens: grown("cacheWriteTokens"),
          reasoningTokens: grown("reasoningTokens"),
          // Without a known cost the sum did not grow: unknown is not 0.
          cost: grown("cost") > 0 || grown("unpricedCalls") === 0 ? grown("cost") : undefined,
          estimated: grown("estimatedCalls") > 0 ? true : undefined,
        },
        unknownUsage: grown("unknownCalls") > 0 ? grown("unknownCalls") : undefined,
        unknownCost: grown("unpricedCalls"),
        toolCalls: calls,
        fingerprints,
      });
      spent = { ...usage };
      calls = 0;
      fingerprints = [];
    }
    if (event.type === "run.finished") {
      record({
        type: "child.finished",
        child: child.id,
        reason: event.reason,
        verified: event.verified,
        phase: event.phase,
        changed: changedBy(child.view),
      });
    }
  });
}
