import type { EventOf, RunEvent } from "@phasekit/core";
import { callOf } from "@phasekit/core/account";
import { createCallCounter } from "@phasekit/ledger/story";
import type { TranscriptRun } from "@phasekit/transcripts";

const MAX_CALLS = 20_000;

/** Lists the calls of runs by readable names, to compare runs. Foreign text. */
export function createCallList(): {
  readonly add: (about: TranscriptRun, step: readonly RunEvent[]) => void;
  readonly of: (run: string) => readonly string[];
} {
  const byRun = new Map<string, { readonly calls: string[]; readonly isNewCall: (event: RunEvent) => boolean }>();
  return {
    add: ({ id }, step) => {
      const found = byRun.get(id) ?? { calls: [], isNewCall: createCallCounter() };
      byRun.set(id, found);
      const { calls, isNewCall } = found;
      for (const event of step)
        if (isNewCall(event) && isCall(event) && calls.length < MAX_CALLS) calls.push(callOf(event).label);
    },
    of: (run) => byRun.get(run)?.calls ?? [],
  };
}

const isCall = (event: RunEvent): event is EventOf<"tool.requested"> | EventOf<"tool.finished"> =>
  event.type === "tool.requested" || event.type === "tool.finished";
