import { type ContractSet, createPipeline, type WorkLog, type WorkStore } from "@phasekit/contracts";
import { setTimeout as delay } from "node:timers/promises";
import type { WorkerConfig } from "../config/define-config.ts";

/** The counts of a worker so far, and the result of its last round. */
export interface WorkerStatus {
  readonly rounds: number;
  readonly advanced: number;
  readonly rejected: number;
  readonly expired: number;
  readonly delivered: number;
  /** The time of the last successful round; null before the first. */
  readonly lastRoundAt: number | null;
  /** Why the last round failed; null if it succeeded. */
  readonly problem: string | null;
}

/** Options for `createWorker()`. */
export interface WorkerOptions {
  readonly contracts: ContractSet;
  readonly config: WorkerConfig;
  /** Pause between rounds in milliseconds; doubles up to 30 seconds while rounds fail. */
  readonly intervalMs: number;
  readonly log: WorkLog;
  /** Called once when rounds start to fail or fail for another reason. */
  readonly onError: (problem: string) => void;
  readonly now: () => number;
  /** Waits for the time, or until there is new work. @default a timer */
  readonly pause?: (ms: number) => Promise<void>;
  /** Stops the worker after the current round. */
  readonly signal: AbortSignal;
}

/** A worker: runs one round, or rounds until the signal. */
export interface Worker {
  readonly status: () => WorkerStatus;
  /** Processes all pending claims, reviews, expiries and messages once. */
  readonly round: () => Promise<void>;
  /** Runs rounds until the signal. Retries a failed round, since the database may come back. */
  readonly run: () => Promise<void>;
}

const LONGEST_PAUSE_MS = 30_000;
/** Items that wait for a judge or a person are looked at again when they change, and this often in any case. */
const REST_MS = 30_000;

/** Creates a worker. Any number can share a store: they lease items in batches, and decide each claim once. */
export function createWorker(
  store: WorkStore,
  {
    contracts,
    config,
    intervalMs,
    log,
    onError,
    now,
    signal,
    pause: rest = (ms) => delay(ms, undefined, { signal }),
  }: WorkerOptions,
): Worker {
  let status: WorkerStatus = {
    rounds: 0,
    advanced: 0,
    rejected: 0,
    expired: 0,
    delivered: 0,
    lastRoundAt: null,
    problem: null,
  };
  const add = (member: "rounds" | "advanced" | "rejected" | "expired" | "delivered", count: number): void => {
    status = { ...status, [member]: status[member] + count };
  };
  const pipeline = createPipeline({
    ...config,
    store,
    contracts,
    restMs: REST_MS,
    wait: (ms) => delay(ms, undefined, { ref: false }),
    // Counts from the log: decisions of a round that fails later count, too.
    log: (line) => {
      if (line.event === "claim_advanced") add("advanced", 1);
      if (line.event === "claim_rejected") add("rejected", 1);
      log(line);
    },
  });

  async function round(): Promise<void> {
    const { expired, hooks, failed } = await pipeline.tick();
    add("expired", expired.length);
    add("delivered", hooks.delivered);
    add("rounds", 1);
    const [first] = failed;
    if (first === undefined) status = { ...status, lastRoundAt: now(), problem: null };
    else report(`Failed items: ${failed.map(({ item }) => item).join(", ")}. First error: ${problemText(first.error)}`);
  }

  function report(problem: string): void {
    if (problem !== status.problem) onError(problem);
    status = { ...status, problem };
  }

  async function run(): Promise<void> {
    for (let pause = intervalMs; !signal.aborted;) {
      try {
        await round();
      } catch (error) {
        report(problemText(error));
      }
      pause = status.problem === null ? intervalMs : Math.min(LONGEST_PAUSE_MS, pause * 2);
      // Rejects on abort; the loop condition handles it.
      await (status.problem === null ? rest(pause) : delay(pause, undefined, { signal })).catch(() => undefined);
    }
  }

  return { status: () => status, round, run };
}

function problemText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
