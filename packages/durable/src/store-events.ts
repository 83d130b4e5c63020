import type { RunEvent } from "@phasekit/core";

/** The part of a run store that is needed: every store of `@phasekit/ledger` and `@phasekit/postgres` has it. */
export interface EventLog {
  readonly append: (runId: string, events: readonly RunEvent[], options: { readonly after: number }) => Promise<void>;
  readonly read: (runId: string, options?: { readonly after?: number }) => AsyncIterable<readonly RunEvent[]>;
}

/** Options for `storeEvents()`. */
export interface StoreEventsOptions {
  /** The events of `newEvents(run, after)`. */
  readonly events: readonly RunEvent[];
  /** The last event that was stored before. */
  readonly after: number;
  /** Called if the store fails. The agent never notices: the next call hands over the same events again. */
  readonly onError?: (problem: unknown) => void;
}

/**
 * Appends the new events of a run to a store and returns the last one that is stored: the `after` of the next call.
 * Events that the store has from an earlier try of the same step are left out, so nothing is stored twice.
 */
export async function storeEvents(
  store: EventLog,
  runId: string,
  { events, after, onError }: StoreEventsOptions,
): Promise<number> {
  let stored = after;
  try {
    for await (const batch of store.read(runId, { after })) stored = batch.at(-1)?.seq ?? stored;
    const missing = events.filter(({ seq }) => seq > stored);
    if (missing.length > 0) await store.append(runId, missing, { after: stored });
    return missing.at(-1)?.seq ?? stored;
  } catch (problem) {
    onError?.(problem);
    return stored;
  }
}
