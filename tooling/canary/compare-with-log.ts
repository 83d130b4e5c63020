import { playRun } from "@phasekit/core";
import { codingRunOptions } from "@phasekit/coding";
import type { Mode, RunEvent } from "@phasekit/core";
import { readRun } from "@phasekit/ledger";
import { createFileStore } from "@phasekit/ledger/node";
import { parseTranscript } from "@phasekit/transcripts";
import { newestLog } from "./newest-log.ts";

/** The story of a live run and of the agent's own log: phases, alerts, the end. */
export interface Comparison {
  readonly live: string;
  readonly log: string;
}

/** Compares the newest live run with the agent's newest log, read as `phasekit why` reads it. */
export async function compareWithLog(
  runs: string,
  { logs, mode }: { readonly logs: string; readonly mode: Mode },
): Promise<Comparison> {
  const store = createFileStore(runs);
  const [newest] = await store.list({ limit: 1 });
  const live = newest === undefined ? [] : await readRun(store, newest.run);
  await store.close();
  const text = newestLog(logs);
  const [read] = text === undefined ? [] : parseTranscript(text).runs;
  const log: RunEvent[] = [];
  if (read !== undefined) playRun(read, { ...codingRunOptions({ mode }), subscribe: (step) => log.push(...step) });
  return { live: storyOf(live), log: storyOf(log) };
}

function storyOf(events: readonly RunEvent[]): string {
  // A live run that the user continued has an end for each process.
  const end = events.findLast(({ type }) => type === "run.finished");
  return events
    .flatMap((event) => {
      if (event.type === "phase.transition") return [`${event.from} → ${event.to}`];
      if (event.type === "alert.raised") return [`alert ${event.kind}`];
      if (event.type === "run.finished" && event === end)
        return [`${event.reason}, verified: ${String(event.verified)}`];
      return [];
    })
    .join("; ");
}
