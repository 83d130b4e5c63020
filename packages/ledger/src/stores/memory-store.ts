import type { RunEvent } from "@phasekit/core";
import { assertAppend } from "../assert-append.ts";
import { encodeEvent } from "../encode-event.ts";
import { applyRunQuery, type RunStore } from "../run-store.ts";
import { summarizeRun } from "../summarize-run.ts";

interface Log {
  readonly batches: (readonly RunEvent[])[];
  end: number;
  readonly waiting: Set<() => void>;
}

/**
 * A store that forgets everything with its process: for tests, demos and short scripts. `createFileStore(folder)` of
 * `@phasekit/ledger/node` keeps runs in files.
 *
 * @example
 * const store = createMemoryStore();
 * storeRun(run, store);
 */
export function createMemoryStore(): Required<RunStore> {
  const logs = new Map<string, Log>();

  function wake(log: Log): void {
    const waiting = [...log.waiting];
    log.waiting.clear();
    for (const go of waiting) go();
  }

  function follow(runId: string, after: number): AsyncIterator<readonly RunEvent[]> {
    let next = 0;
    let open = true;
    let stop: (() => void) | undefined;
    return {
      next: async () => {
        while (open) {
          const log = logs.get(runId);
          // Removed meanwhile, or never there.
          if (log === undefined) break;
          const batch = log.batches[next];
          if (batch === undefined) {
            await new Promise<void>((resolve) => {
              stop = resolve;
              log.waiting.add(resolve);
            });
            continue;
          }
          next += 1;
          const rest = since(batch, after);
          if (rest.length > 0) return { done: false, value: rest };
        }
        open = false;
        return { done: true, value: undefined };
      },
      return: () => {
        open = false;
        stop?.();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  return {
    append: (runId, events, { after }) => {
      try {
        const log = logs.get(runId) ?? { batches: [], end: 0, waiting: new Set() };
        assertAppend(runId, events, { after, end: log.end });
        // A copy as any other store would give it back: later changes to the caller's objects do not reach the log.
        log.batches.push(events.map((event) => JSON.parse(encodeEvent(runId, event)) as RunEvent));
        log.end = after + events.length;
        logs.set(runId, log);
        wake(log);
        return Promise.resolve();
      } catch (error) {
        return Promise.reject(error instanceof Error ? error : new Error(String(error)));
      }
    },
    // oxlint-disable-next-line typescript/require-await -- an async iterable by contract
    read: async function* (runId, { after = 0 } = {}) {
      for (const batch of [...(logs.get(runId)?.batches ?? [])]) {
        const rest = since(batch, after);
        if (rest.length > 0) yield rest;
      }
    },
    list: (query) =>
      new Promise((resolve) => {
        resolve(
          applyRunQuery(
            [...logs.values()].map(({ batches }) => summarizeRun(batches.flat())),
            query,
          ),
        );
      }),
    tail: (runId, { after = 0 } = {}) => ({ [Symbol.asyncIterator]: () => follow(runId, after) }),
    remove: (runId) => {
      const log = logs.get(runId);
      logs.delete(runId);
      if (log !== undefined) wake(log);
      return Promise.resolve();
    },
  };
}

function since(batch: readonly RunEvent[], after: number): readonly RunEvent[] {
  const [first] = batch;
  return first === undefined || first.seq > after ? batch : batch.filter(({ seq }) => seq > after);
}
