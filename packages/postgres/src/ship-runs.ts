import { isPhasekitError, type RunEvent } from "@phasekit/core";
import type { RunStore } from "@phasekit/ledger";
import type { PostgresRunStore } from "./postgres-run-store.ts";

/** The result of one round of shipping. */
export interface ShipReport {
  /** Events that were sent. */
  readonly shipped: number;
  /** Runs whose logs differ here and there, with the event at which they are known to; they are left alone. */
  readonly forks: readonly { readonly run: string; readonly seq: number }[];
  /** Runs that could not be read or sent this time. */
  readonly problems: readonly { readonly run: string; readonly problem: unknown }[];
}

export interface ShipRunsOptions {
  /** How often to look for new events, in milliseconds. @default 1000 */
  readonly everyMs?: number;
  /** Events per append, at most. @default 512 */
  readonly batch?: number;
  /** Called after each round that did something or could not. */
  readonly onReport?: (report: ShipReport) => void;
}

/** Sends events until it is stopped. */
export interface Shipper {
  /** Sends what there is now, and waits for it. */
  readonly ship: () => Promise<ShipReport>;
  /** Ends after a last round. */
  readonly stop: () => Promise<ShipReport>;
}

/**
 * Sends the runs of a local store to the team's: an agent writes to its own disk in microseconds and never waits for
 * the network. What was sent before is known by reading, so that a shipper may crash, start again or run twice. A run
 * that differs in the two places is reported as a fork and never mixed.
 *
 * @example
 * const shipper = shipRuns(createFileStore(".phasekit/runs"), createPostgresRunStore(pool));
 * // … at the end of the process
 * await shipper.stop();
 */
export function shipRuns(
  from: RunStore,
  to: PostgresRunStore,
  { everyMs = 1000, batch = 512, onReport = () => undefined }: ShipRunsOptions = {},
): Shipper {
  const shipAll = createRound(from, to, batch);
  let round: Promise<ShipReport> | undefined;
  let stopped = false;

  function ship(): Promise<ShipReport> {
    round ??= shipAll()
      .catch((problem: unknown): ShipReport => ({ shipped: 0, forks: [], problems: [{ run: "", problem }] }))
      .then((report) => {
        if (report.shipped + report.forks.length + report.problems.length > 0) onReport(report);
        return report;
      })
      .finally(() => (round = undefined));
    return round;
  }

  const timer = setInterval(() => void (stopped || ship()), everyMs);
  // The process may end; the next one sends the rest.
  timer.unref();
  return {
    ship,
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await round;
      return ship();
    },
  };
}

/** Returns the function that makes one round: it sends what there is, and remembers how far each run was sent. */
function createRound(from: RunStore, to: PostgresRunStore, batch: number): () => Promise<ShipReport> {
  /** The last event of each run that is known to have arrived. */
  const sent = new Map<string, number>();

  async function shipRun(run: string): Promise<{ readonly shipped: number; readonly fork?: number }> {
    const start = await to.end(run);
    const fork = sent.get(run) === start ? undefined : await firstDifference(run, start);
    if (fork !== undefined) return { shipped: 0, fork };
    let after = start;
    let waiting: RunEvent[] = [];
    const send = async (): Promise<void> => {
      await to.append(run, waiting, { after });
      after += waiting.length;
      sent.set(run, after);
      waiting = [];
    };
    for await (const events of from.read(run, { after })) {
      for (const event of events) {
        waiting.push(event);
        if (waiting.length >= batch) await send();
      }
    }
    if (waiting.length > 0) await send();
    sent.set(run, after);
    return { shipped: after - start };
  }

  /** The last event that both have is the same in both, or the logs have parted before. */
  async function firstDifference(run: string, end: number): Promise<number | undefined> {
    if (end === 0) return undefined;
    const [here, there] = await Promise.all([eventAt(from, run, end), eventAt(to, run, end)]);
    return here === there ? undefined : end;
  }

  return async () => {
    const forks: { run: string; seq: number }[] = [];
    const problems: { run: string; problem: unknown }[] = [];
    let shipped = 0;
    for (const { run, seq } of await from.list({ limit: Infinity })) {
      if (sent.get(run) === seq) continue;
      try {
        const { shipped: count, fork } = await shipRun(run);
        shipped += count;
        if (fork !== undefined) forks.push({ run, seq: fork });
      } catch (problem) {
        // Another shipper was faster; the next round compares and continues from there.
        if (isPhasekitError(problem, "APPEND_CONFLICT")) sent.delete(run);
        else problems.push({ run, problem });
      }
    }
    return { shipped, forks, problems };
  };
}

async function eventAt(store: RunStore, run: string, seq: number): Promise<string | undefined> {
  for await (const events of store.read(run, { after: seq - 1 })) {
    const found = events.find((event) => event.seq === seq);
    return found === undefined ? undefined : JSON.stringify(found);
  }
  return undefined;
}
