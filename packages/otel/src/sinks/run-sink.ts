import type { Redactor, RunEvent, RunPort } from "@phasekit/core";
import { redactSecrets, type RunStore } from "@phasekit/ledger";
import { type SendLimits, SendQueue, type SendStatus } from "../queue/send-queue.ts";
import { redacted } from "../trace/redacted.ts";

/** Some events of a run, in order. */
export interface SinkBatch {
  /** Names the run, its first and its last event: equal for every attempt to deliver the batch. */
  readonly id: string;
  readonly run: string;
  readonly events: readonly RunEvent[];
}

/**
 * A place outside that gets the events of runs: a webhook, a queue, a stream. It gets every batch at least once and in
 * order, so it must tell a batch it had by its `id`, or an event by its run and `seq`.
 */
export interface RunSink {
  /** Delivers a batch. If it rejects, the same batch comes again. */
  readonly send: (batch: SinkBatch) => Promise<void>;
}

/** Options for `sendRun()`. All optional. */
export interface SendRunOptions extends SendLimits {
  /** Takes secrets out of derived events too; `false` trusts the run's redaction. @default redactSecrets() */
  readonly redact?: Redactor | false;
}

/** A run on its way to a sink. */
export interface SentRun {
  readonly status: () => SendStatus;
  /** Tries to send everything so far, for a limited time. */
  readonly flush: () => Promise<SendStatus>;
  /** Flushes, then stops following the run. */
  readonly close: () => Promise<SendStatus>;
}

/**
 * Sends a run to a sink as it happens: one line, right after `createRun`. The agent never waits: events go into a
 * bounded queue, which counts and drops what does not fit. For a sink that must get every event, send from a store with
 * `sendStoredRun`.
 *
 * @example
 * const sending = sendRun(run, webhookSink({ url, secret }));
 * await trackRun(run, work);
 * await sending.close();
 */
export function sendRun(
  run: Pick<RunPort, "id" | "subscribe">,
  sink: RunSink,
  { redact = redactSecrets(), ...limits }: SendRunOptions = {},
): SentRun {
  const queue = new SendQueue<RunEvent, SinkBatch>(
    { prepare: (events) => batchOf(run.id, events, redact), send: (batch) => sink.send(batch) },
    limits,
  );
  const unsubscribe = run.subscribe((step) => {
    queue.push(step);
  });
  return {
    status: () => queue.status(),
    flush: () => queue.flush(),
    close: async () => {
      const last = await queue.close();
      unsubscribe();
      return last;
    },
  };
}

const BATCH = 200;

/** Options for `sendStoredRun()`. */
export interface SendStoredOptions {
  readonly sink: RunSink;
  /** The last event that arrived before. @default 0, from the start */
  readonly after?: number;
  /** Takes secrets out; `false` trusts the store. @default redactSecrets() */
  readonly redact?: Redactor | false;
}

/**
 * Sends what a store has of a run, in order, and returns the `seq` of the last event that arrived: keep it, and pass it
 * as `after` the next time. Rejects when the sink does; nothing is lost, because the store still has it.
 *
 * @example
 * const after = await sendStoredRun(store, id, { sink, after: await offsets.get(id) });
 */
export async function sendStoredRun(
  store: Pick<RunStore, "read">,
  id: string,
  { sink, after = 0, redact = redactSecrets() }: SendStoredOptions,
): Promise<number> {
  let last = after;
  for await (const events of store.read(id, { after })) {
    for (let from = 0; from < events.length; from += BATCH) {
      const part = events.slice(from, from + BATCH);
      await sink.send(batchOf(id, part, redact));
      last = part.at(-1)?.seq ?? last;
    }
  }
  return last;
}

function batchOf(run: string, events: readonly RunEvent[], redact: Redactor | false): SinkBatch {
  return {
    id: `${run}:${String(events[0]?.seq ?? 0)}-${String(events.at(-1)?.seq ?? 0)}`,
    run,
    events: redact === false ? events : events.map((event) => redacted(event, redact)),
  };
}
