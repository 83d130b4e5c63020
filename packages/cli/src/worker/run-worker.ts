import { type ContractSet, deliverHooks, processClaims, type WorkLog, type WorkStore } from "@phasekit/contracts";
import { setTimeout as delay } from "node:timers/promises";
import type { WorkerConfig } from "../define-config.ts";

/** What a worker has done so far, and whether its last round went well. */
export interface WorkerStatus {
  readonly rounds: number;
  readonly advanced: number;
  readonly rejected: number;
  readonly expired: number;
  readonly delivered: number;
  /** When the last round ended well; null before the first. */
  readonly lastRoundAt: number | null;
  /** Why the last round did not end well. */
  readonly problem: string | null;
}

/** What a worker works with. */
export interface WorkerOptions {
  readonly contracts: ContractSet;
  readonly config: WorkerConfig;
  /** The longest pause between rounds, in milliseconds; it doubles, up to half a minute, as long as rounds fail. */
  readonly intervalMs: number;
  readonly log: WorkLog;
  /** Told once when rounds begin to fail, or fail in another way. */
  readonly onProblem: (problem: string) => void;
  readonly now: () => number;
  /** Waits that long, or until there may be something to do. @default only the time */
  readonly pause?: (ms: number) => Promise<void>;
  /** Ends it after the round it is in. */
  readonly signal: AbortSignal;
}

/** A worker: one round, or round after round until it is told to stop. */
export interface Worker {
  readonly status: () => WorkerStatus;
  /** Decides, judges, expires and delivers what there is now. */
  readonly round: () => Promise<void>;
  /** Goes on until the signal; a round that fails is tried again, since the database may come back. */
  readonly run: () => Promise<void>;
}

const LONGEST_PAUSE_MS = 30_000;

/** Makes a worker. Any number may work on one store: what one has decided the others find decided. */
export function createWorker(store: WorkStore, { contracts, config, intervalMs, log, onProblem, now, signal, pause: rest = (ms) => delay(ms, undefined, { signal }) }: WorkerOptions): Worker {
  const { deliver, createChangeRequest, promote, ...deciding } = config;
  let status: WorkerStatus = { rounds: 0, advanced: 0, rejected: 0, expired: 0, delivered: 0, lastRoundAt: null, problem: null };
  const add = (member: "advanced" | "rejected" | "expired" | "delivered", count: number): void => {
    status = { ...status, [member]: status[member] + count };
  };
  /** Asking about a claim that another worker has decided gives its decision; what this one did is what it logs. */
  const counting: WorkLog = (line) => {
    if (line.event === "claim_advanced") add("advanced", 1);
    if (line.event === "claim_rejected") add("rejected", 1);
    log(line);
  };

  async function round(): Promise<void> {
    const { expired, failed } = await processClaims(store, { ...deciding, contracts, log: counting, clock: now, wait: (ms) => delay(ms, undefined, { ref: false }) });
    add("expired", expired.length);
    // Without a receiver the messages stay where they are, for a worker that has one.
    if (deliver !== undefined) add("delivered", (await deliverHooks(store, { deliver, log, clock: now, ...(createChangeRequest !== undefined && { createChangeRequest }), ...(promote !== undefined && { promote }) })).delivered);
    status = { ...status, rounds: status.rounds + 1 };
    const [first] = failed;
    if (first === undefined) status = { ...status, lastRoundAt: now(), problem: null };
    else notice(`Not processed: ${failed.map(({ item }) => item).join(", ")}. The first: ${problemText(first.error)}`);
  }

  function notice(problem: string): void {
    if (problem !== status.problem) onProblem(problem);
    status = { ...status, problem };
  }

  async function run(): Promise<void> {
    for (let pause = intervalMs; !signal.aborted; ) {
      try {
        await round();
      } catch (error) {
        notice(problemText(error));
      }
      pause = status.problem === null ? intervalMs : Math.min(LONGEST_PAUSE_MS, pause * 2);
      // It ends early, with an error that says nothing new, when the worker is to leave.
      await (status.problem === null ? rest(pause) : delay(pause, undefined, { signal })).catch(() => undefined);
    }
  }

  return { status: () => status, round, run };
}

function problemText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
