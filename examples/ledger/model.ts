import type { RunPort } from "@phasekit/core";

let calls = 0;

/** A provider without quota at the first call. */
export function callModel(run: RunPort): void {
  run.beforeTurn();
  calls += 1;
  if (calls === 1) throw Object.assign(new Error("Rate limit exceeded"), { status: 429 });
  run.record({ type: "model.answered", finishReason: "stop", textLength: 12, usage: { inputTokens: 900 } });
  run.record({ type: "output.produced", counts: { namespaces: 2, models: 9 } });
}
