import type { RunEvent } from "@phasekit/core";
import { callOf } from "@phasekit/core/account";
import type { TranscriptRun } from "@phasekit/transcripts";

const MAX_CALLS = 20_000;

/** Lists the calls of runs by readable names, to compare runs. Foreign text. */
export function createCallList(): {
  readonly add: (about: TranscriptRun, step: readonly RunEvent[]) => void;
  readonly of: (run: string) => readonly string[];
} {
  const byRun = new Map<string, string[]>();
  return {
    add: ({ id }, step) => {
      const calls = byRun.get(id) ?? [];
      byRun.set(id, calls);
      for (const event of step) {
        if (event.type !== "tool.requested" || calls.length >= MAX_CALLS) continue;
        calls.push(callOf(event).label);
      }
    },
    of: (run) => byRun.get(run) ?? [],
  };
}
