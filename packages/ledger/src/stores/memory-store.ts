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
  return new MemoryStore();
}

class MemoryStore implements Required<RunStore> {
  readonly #logs = new Map<string, Log>();

  readonly append: Required<RunStore>["append"] = (runId, events, { after }) => {
    try {
      const log = this.#logs.get(runId) ?? { batches: [], end: 0, waiting: new Set() };
      assertAppend(runId, events, { after, end: log.end });
      // A copy as any other store would give it back: later changes to the caller's objects do not reach the log.
      log.batches.push(events.map((event) => JSON.parse(encodeEvent(runId, event)) as RunEvent));
      log.end = after + events.length;
      this.#logs.set(runId, log);
      this.#wake(log);
      return Promise.resolve();
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
  };

  readonly read: RunStore["read"] = (runId, options) => this.#read(runId, options);

  // oxlint-disable-next-line typescript/require-await -- an async iterable by contract
  async *#read(runId: string, { after = 0 }: { readonly after?: number } = {}): AsyncGenerator<readonly RunEvent[]> {
    for (const batch of [...(this.#logs.get(runId)?.batches ?? [])]) {
      const rest = since(batch, after);
      if (rest.length > 0) yield rest;
    }
  }

  readonly list: Required<RunStore>["list"] = (query) =>
    new Promise((resolve) => {
      resolve(
        applyRunQuery(
          [...this.#logs.values()].map(({ batches }) => summarizeRun(batches.flat())),
          query,
        ),
      );
    });

  readonly tail: Required<RunStore>["tail"] = (runId, { after = 0 } = {}) => ({
    [Symbol.asyncIterator]: () => this.#follow(runId, after),
  });

  readonly remove: Required<RunStore>["remove"] = (runId) => {
    const log = this.#logs.get(runId);
    this.#logs.delete(runId);
    if (log !== undefined) this.#wake(log);
    return Promise.resolve();
  };

  #wake(log: Log): void {
    const waiting = [...log.waiting];
    log.waiting.clear();
    for (const go of waiting) go();
  }

  #follow(runId: string, after: number): AsyncIterator<readonly RunEvent[]> {
    let next = 0;
    let open = true;
    let stop: (() => void) | undefined;
    return {
      next: async () => {
        while (open) {
          const log = this.#logs.get(runId);
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
}

function since(batch: readonly RunEvent[], after: number): readonly RunEvent[] {
  const [first] = batch;
  return first === undefined || first.seq > after ? batch : batch.filter(({ seq }) => seq > after);
}
